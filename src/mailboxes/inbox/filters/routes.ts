import * as z from "zod";
import { newRoutes } from "../../../http/env.ts";
import { idempotent } from "../../../http/idempotency.ts";
import { noContent } from "../../../http/no-content.ts";
import { operationsOf, responses } from "../../../http/openapi.ts";
import { body } from "../../../http/validate.ts";
import { requireFound } from "../../../lib/errors.ts";
import { filterLimits } from "../../mailbox-store/index.ts";
import { bodyErrors, errors, open } from "../routes.ts";
import { createFilter, deleteFilter, getFilter, startFilterRun, updateFilter, withConfirmed } from "./change.ts";
import { findForwarding } from "./queries.ts";
import { FilterFields, FilterOut, FilterPatch, RunIn, RunOut, toFilter, toRun } from "./schema.ts";

const operation = operationsOf("Inbox");
const conflictErrors = [...bodyErrors, 409];

export const filterRoutes = newRoutes()
  .get(
    "/v1/inbox/:mailbox_id/filters",
    operation("inbox:read", "listInboxFilters", {
      summary: "List the filters of a mailbox in the order in which they are applied",
      responses: responses(200, `At most ${filterLimits.filters} filters`, z.array(FilterOut), errors),
    }),
    async (c) => {
      const caller = c.get("caller");
      const mailbox = await open(c);
      const filters = await mailbox.store.listFilters();
      const forwarding = await findForwarding(caller, mailbox, filters);
      return c.json(filters.map((one) => toFilter(one, forwarding)));
    },
  )
  .post(
    "/v1/inbox/:mailbox_id/filters",
    operation("inbox:write", "createInboxFilter", {
      summary: "Create a filter for mail that arrives",
      description: `A mailbox has at most ${filterLimits.filters} filters. An outside address of a \`forward\` has to confirm by an email.`,
      responses: responses(201, "The filter", FilterOut, [...bodyErrors, 503]),
    }),
    ...body(FilterFields),
    idempotent(201, open),
    async (c) => c.json(await createFilter(c.get("caller"), await open(c), c.req.valid("json")), 201),
  )
  // These come before the filters, whose :filter_id would match their path.
  .get(
    "/v1/inbox/:mailbox_id/filters/run",
    operation("inbox:read", "getInboxFilterRun", {
      summary: "Get the progress of the last run of the filters over a folder",
      responses: responses(200, "The run", RunOut, errors),
    }),
    async (c) => {
      const run = requireFound(await (await open(c)).store.filterRun(), "Run of the filters");
      return c.json(toRun(run));
    },
  )
  .post(
    "/v1/inbox/:mailbox_id/filters/run",
    operation("inbox:write", "createInboxFilterRun", {
      summary: "Apply the filters to the messages of a folder",
      description:
        "Runs in the background, one folder of a mailbox at a time. Moves, labels and marks messages as at their arrival, and forwards none.",
      responses: responses(202, "The run", RunOut, conflictErrors),
    }),
    ...body(RunIn),
    async (c) => c.json(toRun(await startFilterRun(await open(c), c.req.valid("json").folder)), 202),
  )
  .get(
    "/v1/inbox/:mailbox_id/filters/:filter_id",
    operation("inbox:read", "getInboxFilter", {
      summary: "Get a filter",
      responses: responses(200, "The filter", FilterOut, errors),
    }),
    async (c) => {
      const mailbox = await open(c);
      const found = await getFilter(mailbox, c.req.param("filter_id"));
      return c.json(await withConfirmed(c.get("caller"), mailbox, found));
    },
  )
  .patch(
    "/v1/inbox/:mailbox_id/filters/:filter_id",
    operation("inbox:write", "updateInboxFilter", {
      summary: "Update a filter",
      responses: responses(200, "The filter", FilterOut, [...bodyErrors, 503]),
    }),
    ...body(FilterPatch),
    async (c) =>
      c.json(await updateFilter(c.get("caller"), await open(c), c.req.param("filter_id"), c.req.valid("json"))),
  )
  .delete(
    "/v1/inbox/:mailbox_id/filters/:filter_id",
    operation("inbox:write", "deleteInboxFilter", {
      summary: "Delete a filter",
      responses: responses(204, "Deleted", null, errors),
    }),
    async (c) => noContent(c, deleteFilter(await open(c), c.req.param("filter_id"))),
  );
