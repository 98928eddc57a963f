import * as z from "zod";
import { newRoutes } from "../../http/env.ts";
import { idempotent } from "../../http/idempotency.ts";
import { noContent } from "../../http/no-content.ts";
import { operationsOf, responses } from "../../http/openapi.ts";
import { pageQuery, refuseDeepPages, respondList } from "../../http/pagination.ts";
import { body, query } from "../../http/validate.ts";
import { idField } from "../../lib/id-field.ts";
import { assignMailbox } from "./assign.ts";
import { createMailbox } from "./create.ts";
import { deleteMailbox } from "./delete.ts";
import { getMailbox, listMailboxes } from "./queries.ts";
import { AssigneesIn, MailboxIn, MailboxOut, MailboxPatch, PasswordIn, toMailbox } from "./schema.ts";
import { setMailboxPassword } from "./set-password.ts";
import { updateMailbox } from "./update.ts";

const ListQuery = z
  .object({
    ...pageQuery({ default: 100, max: 500 }),
    domain_id: idField().optional().describe("Filters by domain."),
    after: z.string().toLowerCase().optional().describe("Cursor from the `Link` header of the previous page."),
  })
  .superRefine(refuseDeepPages);

const operation = operationsOf("Mailboxes");

export const mailboxRoutes = newRoutes()
  .post(
    "/v1/mailboxes/",
    operation("mailboxes:manage", "createMailbox", {
      summary: "Create a mailbox",
      responses: responses(201, "The mailbox", MailboxOut, [403, 404, 409, 413, 415]),
    }),
    ...body(MailboxIn),
    idempotent(201),
    async (c) => c.json(await createMailbox(c.get("caller"), c.req.valid("json")), 201),
  )
  .get(
    "/v1/mailboxes/",
    operation("mailboxes:view", "listMailboxes", {
      summary: "List mailboxes in order of address",
      responses: responses(200, "A page of mailboxes", z.array(MailboxOut), [403]),
    }),
    query(ListQuery),
    (c) => respondList(c, { read: listMailboxes, after: ({ address }) => address, serialize: toMailbox }),
  )
  .get(
    "/v1/mailboxes/:mailbox_id",
    operation("mailboxes:view", "getMailbox", {
      summary: "Get a mailbox",
      responses: responses(200, "The mailbox", MailboxOut, [403, 404]),
    }),
    async (c) => c.json(toMailbox(await getMailbox(c.get("caller"), c.req.param("mailbox_id")))),
  )
  .patch(
    "/v1/mailboxes/:mailbox_id",
    // An assigned user without `mailboxes:manage` may change the display name and the password (rights.ts).
    operation("mailboxes:view", "updateMailbox", {
      summary: "Update a mailbox",
      description:
        "Takes the scope `mailboxes:manage`. A user who is assigned to the mailbox may change `display_name` with `inbox:write`.",
      responses: responses(200, "The mailbox", MailboxOut, [403, 404, 413, 415]),
    }),
    ...body(MailboxPatch),
    async (c) => c.json(await updateMailbox(c.get("caller"), c.req.param("mailbox_id"), c.req.valid("json"))),
  )
  .delete(
    "/v1/mailboxes/:mailbox_id",
    operation("mailboxes:manage", "deleteMailbox", {
      summary: "Delete a mailbox and its messages",
      responses: responses(204, "Deleted", null, [403, 404]),
    }),
    (c) => noContent(c, deleteMailbox(c.get("caller"), c.req.param("mailbox_id"))),
  )
  .put(
    "/v1/mailboxes/:mailbox_id/password",
    operation("inbox:write", "replaceMailboxPassword", {
      summary: "Set the webmail password of a mailbox",
      description: [
        "Ends the sessions of the mailbox. Takes `inbox:read` and `inbox:write`, and `mailboxes:manage` or an assignment to the mailbox.",
        "A password that an API key sets ends with the key and passes to the successor of a rotated one; a password that an assigned",
        "member sets ends with the assignment.",
      ].join(" "),
      responses: responses(200, "The mailbox", MailboxOut, [403, 404, 413, 415]),
    }),
    ...body(PasswordIn),
    async (c) =>
      c.json(await setMailboxPassword(c.get("caller"), c.req.param("mailbox_id"), c.req.valid("json").password)),
  )
  .put(
    "/v1/mailboxes/:mailbox_id/assignees",
    operation("mailboxes:manage", "replaceMailboxAssignees", {
      summary: "Assign users to a mailbox",
      responses: responses(200, "The mailbox", MailboxOut, [403, 404, 413, 415]),
    }),
    ...body(AssigneesIn),
    async (c) => c.json(await assignMailbox(c.get("caller"), c.req.param("mailbox_id"), c.req.valid("json"))),
  );
