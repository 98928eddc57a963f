import * as z from "zod";
import { apiRoutes, outlives } from "../../../http/api-routes.ts";
import { requireFound } from "../../../lib/errors.ts";
import { mailboxBudgets } from "../../../platform/budgets/objects.ts";
import { inboxRoute } from "../routes.ts";
import { createFilter, deleteFilter, getFilter, startFilterRun, updateFilter, withConfirmed } from "./change.ts";
import { findForwarding } from "./queries.ts";
import { FilterFields, FilterOut, FilterPatch, RunIn, RunOut, toFilter, toRun } from "./schema.ts";

export const filterRoutes = apiRoutes("Inbox", inboxRoute)
  .get("/v1/inbox/:mailbox_id/filters", "listInboxFilters", "inbox:read", {
    summary: "List the filters of a mailbox in the order in which they are applied",
    reads: outlives.filterThatForwards,
    returns: { 200: [`At most ${mailboxBudgets.filters.rows} filters`, z.array(FilterOut)] },
    run: async (caller, { mailbox }) => {
      const filters = await mailbox.store.listFilters();
      const forwarding = await findForwarding(caller, mailbox, filters);
      return filters.map((one) => toFilter(one, forwarding));
    },
  })
  .post("/v1/inbox/:mailbox_id/filters", "createInboxFilter", "inbox:write", outlives.filterThatForwards, {
    summary: "Create a filter for mail that arrives",
    description: `A mailbox has at most ${mailboxBudgets.filters.rows} filters. An outside address of a \`forward\` has to confirm by an email.`,
    body: FilterFields,
    returns: { 201: ["The filter", FilterOut] },
    errors: [503],
    run: (caller, { mailbox, body }) => createFilter(caller, mailbox, body),
  })
  // These come before the filters, whose :filter_id would match their path.
  .get("/v1/inbox/:mailbox_id/filters/run", "getInboxFilterRun", "inbox:read", {
    summary: "Get the progress of the last run of the filters over a folder",
    returns: { 200: ["The run", RunOut] },
    run: async (_caller, { mailbox }) => toRun(requireFound(await mailbox.store.filterRun(), "Run of the filters")),
  })
  .post("/v1/inbox/:mailbox_id/filters/run", "createInboxFilterRun", "inbox:write", outlives.nothing, {
    summary: "Apply the filters to the messages of a folder",
    description:
      "Runs in the background, one folder of a mailbox at a time. Moves, labels and marks messages as at their arrival, and forwards none.",
    body: RunIn,
    once: false,
    returns: { 202: ["The run", RunOut] },
    errors: [409],
    run: async (_caller, { mailbox, body }) => toRun(await startFilterRun(mailbox, body.folder)),
  })
  .get("/v1/inbox/:mailbox_id/filters/:filter_id", "getInboxFilter", "inbox:read", {
    summary: "Get a filter",
    reads: outlives.filterThatForwards,
    returns: { 200: ["The filter", FilterOut] },
    run: async (caller, { filter_id, mailbox }) => withConfirmed(caller, mailbox, await getFilter(mailbox, filter_id)),
  })
  .patch("/v1/inbox/:mailbox_id/filters/:filter_id", "updateInboxFilter", "inbox:write", outlives.filterThatForwards, {
    summary: "Update a filter",
    body: FilterPatch,
    returns: { 200: ["The filter", FilterOut] },
    errors: [503],
    run: (caller, { filter_id, mailbox, body }) => updateFilter(caller, mailbox, filter_id, body),
  })
  .delete("/v1/inbox/:mailbox_id/filters/:filter_id", "deleteInboxFilter", "inbox:write", outlives.nothing, {
    summary: "Delete a filter",
    returns: { 204: "Deleted" },
    run: (_caller, { filter_id, mailbox }) => deleteFilter(mailbox, filter_id),
  });
