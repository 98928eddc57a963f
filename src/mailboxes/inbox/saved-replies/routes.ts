import * as z from "zod";
import { apiRoutes, outlives } from "../../../http/api-routes.ts";
import { mailboxBudgets } from "../../../platform/budgets/objects.ts";
import { inboxRoute } from "../routes.ts";
import { createSavedReply, deleteSavedReply, updateSavedReply } from "./change.ts";
import { SavedReplyIn, SavedReplyOut, SavedReplyPatch } from "./schema.ts";

const most = mailboxBudgets.saved_replies.rows;

export const savedReplyRoutes = apiRoutes("Inbox", inboxRoute)
  .get("/v1/inbox/:mailbox_id/saved-replies", "listInboxSavedReplies", "inbox:read", {
    summary: "List saved replies by name",
    returns: { 200: [`At most ${most} saved replies`, z.array(SavedReplyOut)] },
    run: (_caller, { mailbox }) => mailbox.store.listSavedReplies(),
  })
  .post("/v1/inbox/:mailbox_id/saved-replies", "createInboxSavedReply", "inbox:write", outlives.nothing, {
    summary: "Create a saved reply",
    description: `A mailbox has at most ${most} saved replies.`,
    body: SavedReplyIn,
    returns: { 201: ["The saved reply", SavedReplyOut] },
    run: (caller, { mailbox, body }) => createSavedReply(caller, mailbox, body),
  })
  .patch("/v1/inbox/:mailbox_id/saved-replies/:reply_id", "updateInboxSavedReply", "inbox:write", outlives.nothing, {
    summary: "Update a saved reply",
    body: SavedReplyPatch,
    returns: { 200: ["The saved reply", SavedReplyOut] },
    errors: [409],
    run: (_caller, { reply_id, mailbox, body }) => updateSavedReply(mailbox, reply_id, body),
  })
  .delete("/v1/inbox/:mailbox_id/saved-replies/:reply_id", "deleteInboxSavedReply", "inbox:write", outlives.nothing, {
    summary: "Delete a saved reply",
    returns: { 204: "Deleted" },
    run: (_caller, { reply_id, mailbox }) => deleteSavedReply(mailbox, reply_id),
  });
