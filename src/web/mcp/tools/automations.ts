import * as z from "zod";
import { cursor, type DeclaredTool, idempotencyKey, limit } from "../tool.ts";

const RULES = "The rules and all kinds of steps: the page Automations of /docs.";

const condition = z
  .record(z.string(), z.unknown())
  .describe("A condition, such as {field, is, value}, or all, any and not of others.");

/** The fields of an automation. */
const automation = {
  name: z.string(),
  trigger: z
    .object({
      event: z.string().describe("An event of your own, or a built-in one such as contact.added or email.clicked."),
      filter: condition.optional(),
    })
    .describe("What begins a run."),
  entry: z
    .record(z.string(), z.unknown())
    .optional()
    .describe(
      "mode (once, once_per_period with period_days, every), exit_when, exit_events, quiet_hours, emails_per_day.",
    ),
  steps: z
    .array(z.record(z.string(), z.unknown()))
    .optional()
    .describe(
      "Steps by kind: send_email, wait, wait_until, wait_for_event, branch, split, set_field, add_to_list, remove_from_list, " +
        "change_topic, webhook, notify, end. Those with branches have then_steps and else_steps.",
    ),
};

export const automationTools: readonly DeclaredTool[] = [
  {
    name: "list_automations",
    title: "List automations",
    description: "Returns automations with their counters, newest first.",
    route: "GET /v1/automations/",
    input: {
      status: z.string().optional().describe("draft, active, paused or archived."),
      limit: limit(200),
      before: cursor.describe("Id of the last automation of the page before: continues after it."),
    },
  },
  {
    name: "get_automation",
    title: "Read an automation",
    description: "Returns an automation with its steps, its counters, and how many runs came to each step.",
    route: "GET /v1/automations/:automation_id",
  },
  {
    name: "create_automation",
    title: "Create an automation",
    description: `Creates a draft, which does nothing until activate_automation. ${RULES}`,
    route: "POST /v1/automations/",
    effect: "write",
    input: { ...automation, idempotency_key: idempotencyKey },
  },
  {
    name: "update_automation",
    title: "Change an automation",
    description:
      "Changes the given fields. The change of an active one is a new version: people who are inside finish theirs.",
    route: "PATCH /v1/automations/:automation_id",
    effect: "write",
    input: z.object(automation).partial().shape,
  },
  {
    name: "preview_automation",
    title: "Try an automation",
    description: "Shows the path and the emails of a run for a person with given events. Nothing is sent or changed.",
    route: "POST /v1/automations/:automation_id/dry-run",
    effect: "read",
    input: {
      email: z.string().describe("Address of a contact."),
      data: z.record(z.string(), z.unknown()).optional().describe("Data of the event that begins the run."),
      at: z.string().optional().describe("ISO 8601: when it begins."),
      events: z
        .array(z.object({ name: z.string(), at: z.string(), data: z.record(z.string(), z.unknown()).optional() }))
        .optional()
        .describe("Events of the person that come meanwhile."),
    },
  },
  {
    name: "activate_automation",
    title: "Activate an automation",
    description: "People enter it from now on, and get its emails. Those who were inside when it was paused go on.",
    route: "POST /v1/automations/:automation_id/activate",
    effect: "final",
    repeatable: true,
  },
  {
    name: "pause_automation",
    title: "Pause an automation",
    description: "Runs stay where they are and emails wait until activate_automation.",
    route: "POST /v1/automations/:automation_id/pause",
    effect: "write",
    repeatable: true,
  },
  {
    name: "archive_automation",
    title: "End an automation",
    description: "All people leave it and its emails that have not left are cancelled. This cannot be undone.",
    route: "POST /v1/automations/:automation_id/archive",
    effect: "final",
    repeatable: true,
  },
  {
    name: "list_automation_runs",
    title: "List who is inside an automation",
    description: "Returns runs with the step where each is, newest first.",
    route: "GET /v1/automations/:automation_id/runs",
    input: {
      status: z.string().optional().describe("active, completed, exited or removed."),
      email: z.string().optional().describe("Only runs of this address."),
      limit: limit(200),
      before: cursor.describe("Id of the last run of the page before: continues after it."),
    },
  },
  {
    name: "get_automation_run",
    title: "Read what a run did and why",
    description: "Returns a run with its history: each step with its time and reason.",
    route: "GET /v1/automations/:automation_id/runs/:run_id",
  },
  {
    name: "remove_automation_run",
    title: "Take a person out of an automation",
    description: "Ends a run where it is. The person gets no further email of it.",
    route: "DELETE /v1/automations/:automation_id/runs/:run_id",
    effect: "final",
  },
];
