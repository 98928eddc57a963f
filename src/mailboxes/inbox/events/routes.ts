import * as z from "zod";
import { apiRoutes } from "../../../http/api-routes.ts";
import { requireOwnPage } from "../../../http/same-origin.ts";
import { named } from "../../../lib/serialize.ts";
import { connectToEvents } from "./connect.ts";
import { MAX_SOCKETS, MAX_SOCKETS_OF_CREDENTIAL } from "./sockets.ts";

const ChangeOut = z
  .object({
    type: z.enum(["message", "flags", "move", "expunge", "folder"]),
    folder: z.string(),
    uid: z.int().nullable(),
  })
  .meta(named("InboxChange", { type: "message", folder: "INBOX", uid: 7 }));

const DESCRIPTION = `Opens a WebSocket (RFC 6455). Each message is a JSON object {type, folder, uid}:

- \`message\`: a message is at this place, because it arrived or was moved there.
- \`flags\`: the flags or labels of a message changed.
- \`move\`: a message left this place. A \`message\` with its new place follows.
- \`expunge\`: a message was deleted for good.
- \`folder\`: a folder was created, renamed or deleted, or so many of its messages changed that it must be listed again.
  \`uid\` is null.

Changes that happen while no socket is open are not sent later: list the folders after connecting. A client may send
\`ping\`, which is answered with \`pong\`, and nothing else. The socket closes with code 4001 when the credential expires, after
an hour, and before the next change when its access has ended (session, key, assignment, password, owner of the mailbox); connect again then. A
mailbox has at most ${MAX_SOCKETS} sockets, a credential at most ${MAX_SOCKETS_OF_CREDENTIAL} of them. A browser may connect from pages of this
service only.`;

export const eventRoutes = apiRoutes("Inbox", { errors: [502] }).get(
  "/v1/inbox/:mailbox_id/events",
  "getInboxEvents",
  "inbox:read",
  {
    summary: "Receive the changes of a mailbox as they happen",
    description: DESCRIPTION,
    parameters: [
      {
        in: "header",
        name: "Upgrade",
        required: true,
        description: "Asks for a WebSocket",
        schema: { type: "string", enum: ["websocket"] },
        example: "websocket",
      },
    ],
    returns: { 101: ["The socket is open. Each of its messages is one of these.", ChangeOut] },
    errors: [426],
    run: (caller, { mailbox_id }, c) => {
      requireOwnPage(c, caller.actor.kind === "session");
      return connectToEvents(caller, mailbox_id, c.req.header("Upgrade"));
    },
  },
);
