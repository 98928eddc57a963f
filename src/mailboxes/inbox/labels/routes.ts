import * as z from "zod";
import { apiRoutes, outlives } from "../../../http/api-routes.ts";
import { mailboxBudgets } from "../../../platform/budgets/objects.ts";
import { inboxRoute } from "../routes.ts";
import { LabelOut, toLabel } from "../schema.ts";
import { createLabel, deleteLabel, updateLabel } from "./change.ts";
import { LabelIn, LabelPatch } from "./schema.ts";

export const labelRoutes = apiRoutes("Inbox", inboxRoute)
  .get("/v1/inbox/:mailbox_id/labels", "listInboxLabels", "inbox:read", {
    summary: "List labels by name",
    returns: { 200: ["At most 200 labels", z.array(LabelOut)] },
    run: async (_caller, { mailbox }) => (await mailbox.store.listLabels()).map(toLabel),
  })
  .post("/v1/inbox/:mailbox_id/labels", "createInboxLabel", "inbox:write", outlives.nothing, {
    summary: "Create a label",
    description: `A mailbox has at most ${mailboxBudgets.labels.rows} labels.`,
    body: LabelIn,
    returns: { 201: ["The label", LabelOut] },
    run: async (caller, { mailbox, body }) => toLabel(await createLabel(caller, mailbox, body)),
  })
  .patch("/v1/inbox/:mailbox_id/labels/:label_id", "updateInboxLabel", "inbox:write", outlives.nothing, {
    summary: "Update a label",
    body: LabelPatch,
    returns: { 200: ["The label", LabelOut] },
    errors: [409],
    run: async (_caller, { label_id, mailbox, body }) => toLabel(await updateLabel(mailbox, label_id, body)),
  })
  .delete("/v1/inbox/:mailbox_id/labels/:label_id", "deleteInboxLabel", "inbox:write", outlives.nothing, {
    summary: "Delete a label",
    description: "Its messages stay.",
    returns: { 204: "Deleted" },
    run: (_caller, { label_id, mailbox }) => deleteLabel(mailbox, label_id),
  });
