import * as z from "zod";
import { apiRoutes, outlives } from "../../http/api-routes.ts";
import { pageQuery, refuseDeepPages, respondList } from "../../http/pagination.ts";
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

export const mailboxRoutes = apiRoutes("Mailboxes")
  .post("/v1/mailboxes/", "createMailbox", "mailboxes:manage", outlives.nothing, {
    summary: "Create a mailbox",
    body: MailboxIn,
    returns: { 201: ["The mailbox", MailboxOut] },
    errors: [404],
    run: (caller, { body }) => createMailbox(caller, body),
  })
  .get("/v1/mailboxes/", "listMailboxes", "mailboxes:view", {
    summary: "List mailboxes in order of address",
    query: ListQuery,
    returns: { 200: ["A page of mailboxes", z.array(MailboxOut)] },
    run: (_caller, { query }, c) =>
      respondList(c, query, { read: listMailboxes, after: ({ address }) => address, serialize: toMailbox }),
  })
  .get("/v1/mailboxes/:mailbox_id", "getMailbox", "mailboxes:view", {
    summary: "Get a mailbox",
    returns: { 200: ["The mailbox", MailboxOut] },
    run: async (caller, { mailbox_id }) => toMailbox(await getMailbox(caller, mailbox_id)),
  })
  .patch(
    // An assigned user without `mailboxes:manage` may change the display name and the password (rights.ts).
    "/v1/mailboxes/:mailbox_id",
    "updateMailbox",
    "mailboxes:view",
    outlives.nothing,
    {
      summary: "Update a mailbox",
      description:
        "Takes the scope `mailboxes:manage`. A user who is assigned to the mailbox may change `display_name` with `inbox:write`.",
      body: MailboxPatch,
      returns: { 200: ["The mailbox", MailboxOut] },
      run: (caller, { mailbox_id, body }) => updateMailbox(caller, mailbox_id, body),
    },
  )
  .delete("/v1/mailboxes/:mailbox_id", "deleteMailbox", "mailboxes:manage", outlives.nothing, {
    summary: "Delete a mailbox and its messages",
    returns: { 204: "Deleted" },
    run: (caller, { mailbox_id }) => deleteMailbox(caller, mailbox_id),
  })
  .put("/v1/mailboxes/:mailbox_id/password", "replaceMailboxPassword", "inbox:write", outlives.credential, {
    summary: "Set the webmail password of a mailbox",
    description: [
      "Ends the sessions of the mailbox. Takes `inbox:read` and `inbox:write`, and `mailboxes:manage` or an assignment to the mailbox.",
      "A password that an API key sets ends with the key and passes to the successor of a rotated one; a password that an assigned",
      "member sets ends with the assignment.",
    ].join(" "),
    body: PasswordIn,
    returns: { 200: ["The mailbox", MailboxOut] },
    run: (caller, { mailbox_id, body }) => setMailboxPassword(caller, mailbox_id, body.password),
  })
  .put("/v1/mailboxes/:mailbox_id/assignees", "replaceMailboxAssignees", "mailboxes:manage", outlives.assignment, {
    summary: "Assign users to a mailbox",
    body: AssigneesIn,
    returns: { 200: ["The mailbox", MailboxOut] },
    run: (caller, { mailbox_id, body }) => assignMailbox(caller, mailbox_id, body),
  });
