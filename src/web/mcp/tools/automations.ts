import type { ToolsByName } from "../tool.ts";

const RULES = "The rules and all kinds of steps: the page Automations of /docs.";

export const automationTools: ToolsByName = {
  list_automations: {
    title: "List automations",
    description: "Returns automations with their counters, newest first.",
    route: "GET /v1/automations/",
  },
  get_automation: {
    title: "Read an automation",
    description: "Returns an automation with its steps, its counters, and how many runs came to each step.",
    route: "GET /v1/automations/:automation_id",
  },
  create_automation: {
    title: "Create an automation",
    description: `Creates a draft, which does nothing until activate_automation. ${RULES}`,
    route: "POST /v1/automations/",
    effect: "write",
  },
  update_automation: {
    title: "Change an automation",
    description:
      "Changes the given fields. The change of an active one is a new version: people who are inside finish theirs.",
    route: "PATCH /v1/automations/:automation_id",
    effect: "write",
  },
  preview_automation: {
    title: "Try an automation",
    description: "Shows the path and the emails of a run for a person with given events. Nothing is sent or changed.",
    route: "POST /v1/automations/:automation_id/dry-run",
    effect: "read",
  },
  activate_automation: {
    title: "Activate an automation",
    description: "People enter it from now on, and get its emails. Those who were inside when it was paused go on.",
    route: "POST /v1/automations/:automation_id/activate",
    effect: "final",
    repeatable: true,
  },
  pause_automation: {
    title: "Pause an automation",
    description: "Runs stay where they are and emails wait until activate_automation.",
    route: "POST /v1/automations/:automation_id/pause",
    effect: "write",
    repeatable: true,
  },
  archive_automation: {
    title: "End an automation",
    description: "All people leave it and its emails that have not left are cancelled. This cannot be undone.",
    route: "POST /v1/automations/:automation_id/archive",
    effect: "final",
    repeatable: true,
  },
  list_automation_runs: {
    title: "List who is inside an automation",
    description: "Returns runs with the step where each is, newest first.",
    route: "GET /v1/automations/:automation_id/runs",
  },
  get_automation_run: {
    title: "Read what a run did and why",
    description: "Returns a run with its history: each step with its time and reason.",
    route: "GET /v1/automations/:automation_id/runs/:run_id",
  },
  remove_automation_run: {
    title: "Take a person out of an automation",
    description: "Ends a run where it is. The person gets no further email of it.",
    route: "DELETE /v1/automations/:automation_id/runs/:run_id",
    effect: "final",
  },
};
