import { apiRoutes, outlives } from "../../../http/api-routes.ts";
import { inboxRoute } from "../routes.ts";
import { findAutoReply, replaceAutoReply } from "./change.ts";
import { AutoReplyIn, AutoReplyOut, toAutoReply } from "./schema.ts";

export const autoReplyRoutes = apiRoutes("Inbox", inboxRoute)
  .get("/v1/inbox/:mailbox_id/auto-reply", "getInboxAutoReply", "inbox:read", {
    summary: "Get the automatic reply of a mailbox",
    returns: { 200: ["The automatic reply", AutoReplyOut] },
    run: async (caller, { mailbox }) => toAutoReply(await findAutoReply(caller, mailbox)),
  })
  .put("/v1/inbox/:mailbox_id/auto-reply", "replaceInboxAutoReply", "inbox:write", outlives.nothing, {
    summary: "Replace the automatic reply of a mailbox",
    description:
      "Replies to emails that name the mailbox in To or Cc, at most once a day to each return path. Lists, bounces, automatic " +
      "emails and spam are not answered.",
    body: AutoReplyIn,
    returns: { 200: ["The automatic reply", AutoReplyOut] },
    run: async (caller, { mailbox, body }) => toAutoReply(await replaceAutoReply(caller, mailbox, body)),
  });
