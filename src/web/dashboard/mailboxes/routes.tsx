import { listDomains } from "../../../domains/domains/index.ts";
import { inputOf, isChecked } from "../../../http/form-input.ts";
import { readPage, respondPage } from "../../../http/page.tsx";
import { change, creation, page, pagesOf, question } from "../../../http/page-actions.tsx";
import { parseFields } from "../../../http/page-routes.ts";
import { listMembers } from "../../../identity/members/index.ts";
import {
  AssigneesIn,
  assignMailbox,
  createMailbox,
  deleteMailbox,
  findPasswordMade,
  getMailbox,
  listMailboxes,
  MailboxIn,
  MailboxPatch,
  mayManage,
  PasswordIn,
  setMailboxPassword,
  toMailbox,
  updateMailbox,
} from "../../../mailboxes/mailboxes/index.ts";
import { MailboxPage } from "./detail.tsx";
import { MailboxesPage } from "./list.tsx";
import { readQuota, valuesOf } from "./settings-form.ts";

/** Most domains and members in the choices of forms. */
const MAX_CHOICES = 200;

export const mailboxPages = pagesOf(
  "mailbox",
  page("/app/mailboxes", "GET /v1/mailboxes/", async (c) => {
    const caller = c.get("caller");
    const [{ rows, next }, domains] = await Promise.all([
      readPage(c, { path: "/app/mailboxes", read: listMailboxes, after: ({ address }) => address }),
      caller.actor.scopes.has("domains:view") ? listDomains(caller, { offset: 0, limit: MAX_CHOICES }) : [],
    ]);
    const shown = (
      <MailboxesPage
        mailboxes={rows.map(toMailbox)}
        domains={domains.map(({ domain }) => domain).filter(({ isSandbox }) => !isSandbox)}
      />
    );
    return respondPage(c, shown, { next, nextLabel: "More" });
  }),
  creation("/app/mailboxes", "POST /v1/mailboxes/", {
    read: inputOf(MailboxIn),
    run: createMailbox,
    to: "/app/mailboxes/:id",
  }),
  page("/app/mailboxes/:mailbox_id", "GET /v1/mailboxes/:mailbox_id", async (c) => {
    const caller = c.get("caller");
    const mayAssign = mayManage(caller.actor) && caller.actor.scopes.has("team:view");
    const id = c.req.param("mailbox_id");
    const [row, password, members] = await Promise.all([
      getMailbox(caller, id),
      findPasswordMade(caller, id),
      mayAssign ? listMembers(caller, { limit: MAX_CHOICES }) : [],
    ]);
    return respondPage(c, <MailboxPage mailbox={toMailbox(row)} password={password} members={members} />);
  }),
  change("/app/mailboxes/:mailbox_id", "PATCH /v1/mailboxes/:mailbox_id", {
    read: (fields, c) => {
      const readers = { is_active: isChecked, quota_bytes: readQuota };
      return inputOf(MailboxPatch, mayManage(c.get("caller").actor) ? readers : {})(fields);
    },
    run: updateMailbox,
    version: {
      stored: async (caller, id) => valuesOf(toMailbox(await getMailbox(caller, id)), mayManage(caller.actor)),
      entered: (patch, c) => valuesOf(patch, mayManage(c.get("caller").actor)),
    },
    done: { saved: "The settings are saved." },
  }),
  change("/app/mailboxes/:mailbox_id/password", "PUT /v1/mailboxes/:mailbox_id/password", {
    read: (fields) => parseFields(PasswordIn, { password: fields.get("password") ?? "" }).password,
    run: setMailboxPassword,
    done: { password: "The password is set." },
  }),
  change("/app/mailboxes/:mailbox_id/assignees", "PUT /v1/mailboxes/:mailbox_id/assignees", {
    read: inputOf(AssigneesIn, { user_ids: (form) => form.getAll("user_id") }),
    run: assignMailbox,
    done: { assigned: "The assigned members are saved." },
  }),
  question("/app/mailboxes/:mailbox_id/delete", "DELETE /v1/mailboxes/:mailbox_id", {
    of: getMailbox,
    title: ({ address }) => `Delete ${address}?`,
    button: "Delete mailbox",
    text: "All mail in it is deleted, and nothing can be sent from it. This cannot be undone.",
    run: deleteMailbox,
    done: { deleted: "The mailbox is deleted." },
  }),
);
