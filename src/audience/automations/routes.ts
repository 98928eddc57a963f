import * as z from "zod";
import { apiRoutes, outlives } from "../../http/api-routes.ts";
import { pageQuery, setNextLink } from "../../http/pagination.ts";
import { budgetOf } from "../../platform/budgets/spent.ts";
import { activateAutomation } from "./activate.ts";
import { archiveAutomation } from "./archive.ts";
import { createAutomation } from "./create.ts";
import { pauseAutomation } from "./pause.ts";
import { getAutomation, listAutomations, toAutomation } from "./queries.ts";
import { limits, statuses } from "./rules.ts";
import { runRoutes } from "./runs/routes.ts";
import { AutomationIn, AutomationOut, AutomationPatch } from "./schema.ts";
import { updateAutomation } from "./update.ts";

const ListQuery = z.object({
  status: z.enum(statuses).optional(),
  limit: pageQuery({ default: 50, max: 200 }).limit,
  before: z.uuid().toLowerCase().optional().describe("Only automations older than this id."),
});

/** The responses of an activation, a pause and the end. */
const stateChange = { once: false, returns: { 200: ["The automation", AutomationOut] }, errors: [409] } as const;

export const automationRoutes = apiRoutes("Automations")
  .get("/v1/automations/", "listAutomations", "automations:view", {
    summary: "List automations, newest first",
    description: "A page also ends after about 2 MB.",
    query: ListQuery,
    returns: { 200: ["A page of automations", z.array(AutomationOut)] },
    run: async (caller, { query }, c) => {
      const { automations, next } = await listAutomations(caller, query);
      if (next !== null) setNextLink(c, { before: next });
      return automations.map(toAutomation);
    },
  })
  .post("/v1/automations/", "createAutomation", "automations:manage", outlives.nothing, {
    summary: "Create a draft of an automation",
    description: `A workspace has at most ${budgetOf("automations").rows} automations, and an automation at most ${limits.steps} steps.`,
    body: AutomationIn,
    returns: { 201: ["The automation", AutomationOut] },
    run: (caller, { body }) => createAutomation(caller, body),
  })
  .get("/v1/automations/:automation_id", "getAutomation", "automations:view", {
    summary: "Get an automation with its counters",
    returns: { 200: ["The automation", AutomationOut] },
    run: async (caller, { automation_id }) => toAutomation(await getAutomation(caller, automation_id)),
  })
  .patch("/v1/automations/:automation_id", "updateAutomation", "automations:manage", outlives.nothing, {
    summary: "Update an automation",
    description: "The change of an active one is a new version: people who are inside finish theirs.",
    body: AutomationPatch,
    returns: { 200: ["The automation", AutomationOut] },
    errors: [409],
    run: (caller, { automation_id, body }) => updateAutomation(caller, automation_id, body),
  })
  .post("/v1/automations/:automation_id/activate", "activateAutomation", "automations:manage", outlives.nothing, {
    summary: "Activate an automation",
    description: "People enter it from now on. Those who were inside when it was paused go on.",
    ...stateChange,
    run: (caller, { automation_id }) => activateAutomation(caller, automation_id),
  })
  .post("/v1/automations/:automation_id/pause", "pauseAutomation", "automations:manage", outlives.nothing, {
    summary: "Pause an automation",
    description: "Events begin no runs, runs stay where they are, and emails that have not left wait.",
    ...stateChange,
    run: (caller, { automation_id }) => pauseAutomation(caller, automation_id),
  })
  .post("/v1/automations/:automation_id/archive", "archiveAutomation", "automations:manage", outlives.nothing, {
    summary: "Archive an automation for good",
    description: "All runs end, and emails that have not left are cancelled.",
    ...stateChange,
    run: (caller, { automation_id }) => archiveAutomation(caller, automation_id),
  })
  .app.route("/", runRoutes.app);
