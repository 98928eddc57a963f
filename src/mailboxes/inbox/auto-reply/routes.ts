import { newRoutes } from "../../../http/env.ts";
import { operationsOf, responses } from "../../../http/openapi.ts";
import { body } from "../../../http/validate.ts";
import { openMailbox } from "../open.ts";
import { findAutoReply, replaceAutoReply } from "./change.ts";
import { AutoReplyIn, AutoReplyOut, toAutoReply } from "./schema.ts";

const operation = operationsOf("Inbox");

export const autoReplyRoutes = newRoutes()
  .get(
    "/v1/inbox/:mailbox_id/auto-reply",
    operation("inbox:read", "getInboxAutoReply", {
      summary: "Get the automatic reply of a mailbox",
      responses: responses(200, "The automatic reply", AutoReplyOut, [403, 404]),
    }),
    async (c) => {
      const caller = c.get("caller");
      return c.json(toAutoReply(await findAutoReply(caller, await openMailbox(caller, c.req.param("mailbox_id")))));
    },
  )
  .put(
    "/v1/inbox/:mailbox_id/auto-reply",
    operation("inbox:write", "replaceInboxAutoReply", {
      summary: "Replace the automatic reply of a mailbox",
      description:
        "Replies to emails that name the mailbox in To or Cc, at most once a day to each return path. Lists, bounces, automatic " +
        "emails and spam are not answered.",
      responses: responses(200, "The automatic reply", AutoReplyOut, [403, 404, 413, 415]),
    }),
    ...body(AutoReplyIn),
    async (c) => {
      const caller = c.get("caller");
      const mailbox = await openMailbox(caller, c.req.param("mailbox_id"));
      return c.json(toAutoReply(await replaceAutoReply(caller, mailbox, c.req.valid("json"))));
    },
  );
