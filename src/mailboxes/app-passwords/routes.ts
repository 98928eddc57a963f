import * as z from "zod";
import { apiRoutes, outlives } from "../../http/api-routes.ts";
import { createAppPassword } from "./create.ts";
import { deleteAppPassword } from "./delete.ts";
import { listAppPasswords } from "./queries.ts";
import { AppPasswordIn, AppPasswordOut, NewAppPasswordOut, toAppPassword } from "./schema.ts";

const RIGHTS = "`mailboxes:manage` or an assignment to the mailbox";

export const appPasswordRoutes = apiRoutes("Mailboxes")
  .post("/v1/mailboxes/:mailbox_id/app-passwords", "createAppPassword", "inbox:write", outlives.credential, {
    summary: "Create an app password of a mailbox",
    description: [
      "Opens the mailbox in a mail program, by IMAP and for submission, with its address as the user name.",
      `Takes \`inbox:read\` and \`inbox:write\`, and ${RIGHTS}. A mailbox has at most 20.`,
      "It ends with the right by which it was made, and when the password of the mailbox is set.",
    ].join(" "),
    body: AppPasswordIn,
    returns: { 201: ["The app password. `password` is shown in this response only", NewAppPasswordOut] },
    run: (caller, { mailbox_id, body }) => createAppPassword(caller, mailbox_id, body),
  })
  .get("/v1/mailboxes/:mailbox_id/app-passwords", "listAppPasswords", "inbox:read", {
    summary: "List the app passwords of a mailbox, newest first",
    description: `Takes \`inbox:read\`, and ${RIGHTS}.`,
    reads: outlives.credential,
    returns: { 200: ["The app passwords, at most 20", z.array(AppPasswordOut)] },
    run: async (caller, { mailbox_id }) => (await listAppPasswords(caller, mailbox_id)).map(toAppPassword),
  })
  .delete(
    "/v1/mailboxes/:mailbox_id/app-passwords/:app_password_id",
    "deleteAppPassword",
    "inbox:write",
    outlives.nothing,
    {
      summary: "Delete an app password of a mailbox",
      description: `Ends its connections. The response takes half a second. Takes \`inbox:read\` and \`inbox:write\`, and ${RIGHTS}.`,
      returns: { 204: "Deleted" },
      run: (caller, { mailbox_id, app_password_id }) => deleteAppPassword(caller, mailbox_id, app_password_id),
    },
  );
