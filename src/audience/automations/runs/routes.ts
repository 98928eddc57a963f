import * as z from "zod";
import { newRoutes } from "../../../http/env.ts";
import { noContent } from "../../../http/no-content.ts";
import { operationsOf, responses } from "../../../http/openapi.ts";
import { pageQuery, setNextLink } from "../../../http/pagination.ts";
import { body, query } from "../../../http/validate.ts";
import { parseAddress } from "../../../lib/addresses.ts";
import { runStatuses } from "../rules.ts";
import { dryRun } from "./dry-run.ts";
import { getRun, listRuns } from "./queries.ts";
import { DryRunIn, DryRunOut, RunItemOut, RunOut } from "./schema.ts";
import { takeOut } from "./take-out.ts";

const ListQuery = z.object({
  status: z.enum(runStatuses).optional(),
  email: z
    .string()
    .max(1_000)
    .transform((text) => parseAddress(text)?.key ?? "")
    .optional()
    .describe("Only runs of the person with this address."),
  limit: pageQuery({ default: 50, max: 200 }).limit,
  before: z.uuid().toLowerCase().optional().describe("Only runs older than this id."),
});

const operation = operationsOf("Automations");

export const runRoutes = newRoutes()
  .post(
    "/v1/automations/:automation_id/dry-run",
    operation("automations:view", "previewAutomation", {
      summary: "Show what an automation would do for a person",
      description: "With events and times of your choice. Nothing is sent or changed.",
      responses: responses(200, "The path and the emails", DryRunOut, [403, 404, 413, 415]),
    }),
    ...body(DryRunIn),
    async (c) => c.json(await dryRun(c.get("caller"), c.req.param("automation_id"), c.req.valid("json"))),
  )
  .get(
    "/v1/automations/:automation_id/runs",
    operation("automations:view", "listAutomationRuns", {
      summary: "List the runs of an automation, newest first",
      description: "A page may be short and have a next one, since it looks at 5,000 runs at most.",
      responses: responses(200, "A page of runs", z.array(RunItemOut), [403, 404]),
    }),
    query(ListQuery),
    async (c) => {
      const { email: person, ...filter } = c.req.valid("query");
      const { runs, next } = await listRuns(c.get("caller"), c.req.param("automation_id"), { ...filter, person });
      if (next !== null) setNextLink(c, { before: next });
      return c.json(runs);
    },
  )
  .get(
    "/v1/automations/:automation_id/runs/:run_id",
    operation("automations:view", "getAutomationRun", {
      summary: "Get a run with its steps, times and reasons",
      responses: responses(200, "The run", RunOut, [403, 404]),
    }),
    async (c) => {
      const { automation_id, run_id } = c.req.param();
      return c.json(await getRun(c.get("caller"), automation_id, run_id));
    },
  )
  .delete(
    "/v1/automations/:automation_id/runs/:run_id",
    operation("automations:manage", "removeAutomationRun", {
      summary: "Take a person out of an automation",
      responses: responses(204, "Taken out", null, [403, 404, 409]),
    }),
    (c) => noContent(c, takeOut(c.get("caller"), c.req.param("automation_id"), c.req.param("run_id"))),
  );
