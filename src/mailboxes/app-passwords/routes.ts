import * as z from "zod";
import { newRoutes } from "../../http/env.ts";
import { idempotent } from "../../http/idempotency.ts";
import { noContent } from "../../http/no-content.ts";
import { operationsOf, responses } from "../../http/openapi.ts";
import { body } from "../../http/validate.ts";
import { createAppPassword } from "./create.ts";
import { deleteAppPassword } from "./delete.ts";
import { listAppPasswords } from "./queries.ts";
import { AppPasswordIn, AppPasswordOut, NewAppPasswordOut, toAppPassword } from "./schema.ts";

const operation = operationsOf("Mailboxes");

const RIGHTS = "`mailboxes:manage` or an assignment to the mailbox";

export const appPasswordRoutes = newRoutes()
  .post(
    "/v1/mailboxes/:mailbox_id/app-passwords",
    operation("inbox:write", "createAppPassword", {
      summary: "Create an app password of a mailbox",
      description: [
        "Opens the mailbox in a mail program, by IMAP and for submission, with its address as the user name.",
        `Takes \`inbox:read\` and \`inbox:write\`, and ${RIGHTS}. A mailbox has at most 20.`,
        "It ends with the right by which it was made, and when the password of the mailbox is set.",
      ].join(" "),
      responses: responses(
        201,
        "The app password. `password` is shown in this response only",
        NewAppPasswordOut,
        [403, 404, 409, 413, 415],
      ),
    }),
    ...body(AppPasswordIn),
    idempotent(201),
    async (c) => c.json(await createAppPassword(c.get("caller"), c.req.param("mailbox_id"), c.req.valid("json")), 201),
  )
  .get(
    "/v1/mailboxes/:mailbox_id/app-passwords",
    operation("inbox:read", "listAppPasswords", {
      summary: "List the app passwords of a mailbox, newest first",
      description: `Takes \`inbox:read\`, and ${RIGHTS}.`,
      responses: responses(200, "The app passwords, at most 20", z.array(AppPasswordOut), [403, 404]),
    }),
    async (c) => c.json((await listAppPasswords(c.get("caller"), c.req.param("mailbox_id"))).map(toAppPassword)),
  )
  .delete(
    "/v1/mailboxes/:mailbox_id/app-passwords/:app_password_id",
    operation("inbox:write", "deleteAppPassword", {
      summary: "Delete an app password of a mailbox",
      description: `Ends its connections. The response takes half a second. Takes \`inbox:read\` and \`inbox:write\`, and ${RIGHTS}.`,
      responses: responses(204, "Deleted", null, [403, 404]),
    }),
    (c) => noContent(c, deleteAppPassword(c.get("caller"), c.req.param("mailbox_id"), c.req.param("app_password_id"))),
  );
