import * as z from "zod";
import { newRoutes } from "../../http/env.ts";
import { idempotent } from "../../http/idempotency.ts";
import { operationsOf, responses } from "../../http/openapi.ts";
import { pageQuery, setNextLink } from "../../http/pagination.ts";
import { body, query } from "../../http/validate.ts";
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

const operation = operationsOf("Automations");

export const automationRoutes = newRoutes()
  .get(
    "/v1/automations/",
    operation("automations:view", "listAutomations", {
      summary: "List automations, newest first",
      description: "A page also ends after about 2 MB.",
      responses: responses(200, "A page of automations", z.array(AutomationOut), [403]),
    }),
    query(ListQuery),
    async (c) => {
      const { automations, next } = await listAutomations(c.get("caller"), c.req.valid("query"));
      if (next !== null) setNextLink(c, { before: next });
      return c.json(automations.map(toAutomation));
    },
  )
  .post(
    "/v1/automations/",
    operation("automations:manage", "createAutomation", {
      summary: "Create a draft of an automation",
      description: `A workspace has at most ${limits.automations} automations, and an automation at most ${limits.steps} steps.`,
      responses: responses(201, "The automation", AutomationOut, [403, 409, 413, 415]),
    }),
    ...body(AutomationIn),
    idempotent(201),
    async (c) => c.json(await createAutomation(c.get("caller"), c.req.valid("json")), 201),
  )
  .get(
    "/v1/automations/:automation_id",
    operation("automations:view", "getAutomation", {
      summary: "Get an automation with its counters",
      responses: responses(200, "The automation", AutomationOut, [403, 404]),
    }),
    async (c) => c.json(toAutomation(await getAutomation(c.get("caller"), c.req.param("automation_id")))),
  )
  .patch(
    "/v1/automations/:automation_id",
    operation("automations:manage", "updateAutomation", {
      summary: "Update an automation",
      description: "The change of an active one is a new version: people who are inside finish theirs.",
      responses: responses(200, "The automation", AutomationOut, [403, 404, 409, 413, 415]),
    }),
    ...body(AutomationPatch),
    async (c) => c.json(await updateAutomation(c.get("caller"), c.req.param("automation_id"), c.req.valid("json"))),
  )
  .post(
    "/v1/automations/:automation_id/activate",
    operation("automations:manage", "activateAutomation", {
      summary: "Activate an automation",
      description: "People enter it from now on. Those who were inside when it was paused go on.",
      responses: responses(200, "The automation", AutomationOut, [403, 404, 409]),
    }),
    async (c) => c.json(await activateAutomation(c.get("caller"), c.req.param("automation_id"))),
  )
  .post(
    "/v1/automations/:automation_id/pause",
    operation("automations:manage", "pauseAutomation", {
      summary: "Pause an automation",
      description: "Events begin no runs, runs stay where they are, and emails that have not left wait.",
      responses: responses(200, "The automation", AutomationOut, [403, 404, 409]),
    }),
    async (c) => c.json(await pauseAutomation(c.get("caller"), c.req.param("automation_id"))),
  )
  .post(
    "/v1/automations/:automation_id/archive",
    operation("automations:manage", "archiveAutomation", {
      summary: "Archive an automation for good",
      description: "All runs end, and emails that have not left are cancelled.",
      responses: responses(200, "The automation", AutomationOut, [403, 404, 409]),
    }),
    async (c) => c.json(await archiveAutomation(c.get("caller"), c.req.param("automation_id"))),
  )
  .route("/", runRoutes);
