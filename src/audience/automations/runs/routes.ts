import * as z from "zod";
import { apiRoutes, outlives } from "../../../http/api-routes.ts";
import { pageQuery, setNextLink } from "../../../http/pagination.ts";
import { parseAddress } from "../../../lib/addresses.ts";
import { TestOut } from "../../broadcasts/index.ts";
import { runStatuses } from "../rules.ts";
import { dryRun } from "./dry-run.ts";
import { getRun, listRuns } from "./queries.ts";
import { DryRunIn, DryRunOut, RunItemOut, RunOut, StepTestIn } from "./schema.ts";
import { testStep } from "./step-email.ts";
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

export const runRoutes = apiRoutes("Automations")
  .post("/v1/automations/:automation_id/dry-run", "previewAutomation", "automations:view", outlives.nothing, {
    summary: "Show what an automation would do for a person",
    description: "With events and times of your choice. Nothing is sent or changed.",
    body: DryRunIn,
    once: false,
    returns: { 200: ["The path and the emails", DryRunOut] },
    run: (caller, { automation_id, body }) => dryRun(caller, automation_id, body),
  })
  .post("/v1/automations/:automation_id/test", "sendAutomationTest", "automations:manage", outlives.nothing, {
    summary: "Send the email of a step to given addresses as a test",
    description: "With the values of a contact, and with the data of an event, of your choice. It is part of no run.",
    body: StepTestIn,
    returns: { 202: ["The emails", TestOut] },
    run: (caller, { automation_id, body }) => testStep(caller, automation_id, body),
  })
  .get("/v1/automations/:automation_id/runs", "listAutomationRuns", "automations:view", {
    summary: "List the runs of an automation, newest first",
    description: "A page may be short and have a next one, since it looks at 5,000 runs at most.",
    query: ListQuery,
    returns: { 200: ["A page of runs", z.array(RunItemOut)] },
    run: async (caller, { automation_id, query }, c) => {
      const { email: person, ...filter } = query;
      const { runs, next } = await listRuns(caller, automation_id, { ...filter, person });
      if (next !== null) setNextLink(c, { before: next });
      return runs;
    },
  })
  .get("/v1/automations/:automation_id/runs/:run_id", "getAutomationRun", "automations:view", {
    summary: "Get a run with its steps, times and reasons",
    returns: { 200: ["The run", RunOut] },
    run: (caller, { automation_id, run_id }) => getRun(caller, automation_id, run_id),
  })
  .delete(
    "/v1/automations/:automation_id/runs/:run_id",
    "removeAutomationRun",
    "automations:manage",
    outlives.nothing,
    {
      summary: "Take a person out of an automation",
      returns: { 204: "Taken out" },
      errors: [409],
      run: (caller, { automation_id, run_id }) => takeOut(caller, automation_id, run_id),
    },
  );
