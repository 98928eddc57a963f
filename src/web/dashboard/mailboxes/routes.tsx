import { listDomains } from "../../../domains/domains/index.ts";
import { type AppContext, newRoutes } from "../../../http/env.ts";
import { readPage, respondPage } from "../../../http/page.tsx";
import { changeByForm, onceForForm, pageFor, parseFields, submitForm } from "../../../http/page-routes.ts";
import { ConfirmPage } from "../../../http/ui/index.ts";
import { listMembers } from "../../../identity/members/index.ts";
import { requireVersion } from "../../../lib/form-version.ts";
import {
  AssigneesIn,
  assignMailbox,
  createMailbox,
  deleteMailbox,
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
import { readMailboxForm, toMailboxForm, toMailboxRequest, valuesOf } from "./settings-form.ts";

/** Most domains and members in the choices of forms. */
const MAX_CHOICES = 200;
const DELETE = "DELETE /v1/mailboxes/:mailbox_id";

const notices = {
  created: "The mailbox is created.",
  saved: "The settings are saved.",
  assigned: "The assigned members are saved.",
  password: "The password is set.",
  deleted: "The mailbox is deleted.",
};

export const mailboxPages = newRoutes()
  .get("/app/mailboxes", ...pageFor("GET /v1/mailboxes/"), showList)
  .post("/app/mailboxes", ...pageFor("POST /v1/mailboxes/"), (c) =>
    submitForm(c, showList, async (fields) => {
      const request = {
        local_part: fields.get("local_part") ?? "",
        domain_id: fields.get("domain_id") ?? "",
        display_name: fields.get("display_name") ?? "",
      };
      const input = parseFields(MailboxIn, request);
      const { id } = await onceForForm(c, (ctx) => createMailbox(ctx, input));
      return `/app/mailboxes/${id}?done=created`;
    }),
  )
  .get("/app/mailboxes/:mailbox_id", ...pageFor("GET /v1/mailboxes/:mailbox_id"), showMailbox)
  .post("/app/mailboxes/:mailbox_id", ...pageFor("PATCH /v1/mailboxes/:mailbox_id"), (c) =>
    changeByForm(c, PAGE, "saved", async (caller, id, fields) => {
      const form = readMailboxForm(fields);
      const isManager = mayManage(caller.actor);
      const patch = parseFields(MailboxPatch, toMailboxRequest(form, isManager));
      const stored = toMailboxForm(toMailbox(await getMailbox(caller, id)));
      requireVersion(fields.get("version") ?? "", valuesOf(stored, isManager), valuesOf(form, isManager));
      await updateMailbox(caller, id, patch);
    }),
  )
  .post("/app/mailboxes/:mailbox_id/password", ...pageFor("PUT /v1/mailboxes/:mailbox_id/password"), (c) =>
    changeByForm(c, PAGE, "password", (caller, id, fields) => {
      const { password } = parseFields(PasswordIn, { password: fields.get("password") ?? "" });
      return setMailboxPassword(caller, id, password);
    }),
  )
  .post("/app/mailboxes/:mailbox_id/assignees", ...pageFor("PUT /v1/mailboxes/:mailbox_id/assignees"), (c) =>
    changeByForm(c, PAGE, "assigned", (caller, id, fields) =>
      assignMailbox(caller, id, parseFields(AssigneesIn, { user_ids: fields.getAll("user_id") })),
    ),
  )
  .get("/app/mailboxes/:mailbox_id/delete", ...pageFor(DELETE), async (c) => {
    const { id, address } = await getMailbox(c.get("caller"), c.req.param("mailbox_id"));
    return respondPage(
      c,
      <ConfirmPage title={`Delete ${address}?`} button="Delete mailbox" back={`/app/mailboxes/${id}`}>
        All mail in it is deleted, and nothing can be sent from it. This cannot be undone.
      </ConfirmPage>,
    );
  })
  .post("/app/mailboxes/:mailbox_id/delete", ...pageFor(DELETE), async (c) => {
    await deleteMailbox(c.get("caller"), c.req.param("mailbox_id"));
    return c.redirect("/app/mailboxes?done=deleted", 303);
  });

const PAGE = { parameter: "mailbox_id", show: showMailbox, pathOf: (id: string) => `/app/mailboxes/${id}` };

async function showMailbox(c: AppContext) {
  const caller = c.get("caller");
  const mayAssign = mayManage(caller.actor) && caller.actor.scopes.has("team:view");
  const [row, members] = await Promise.all([
    getMailbox(caller, c.req.param("mailbox_id") ?? ""),
    mayAssign ? listMembers(caller, { limit: MAX_CHOICES }) : [],
  ]);
  return respondPage(c, <MailboxPage mailbox={toMailbox(row)} members={members} />, { notices });
}

async function showList(c: AppContext) {
  const caller = c.get("caller");
  const [{ rows, next }, domains] = await Promise.all([
    readPage(c, { path: "/app/mailboxes", read: listMailboxes, after: ({ address }) => address }),
    caller.actor.scopes.has("domains:view") ? listDomains(caller, { offset: 0, limit: MAX_CHOICES }) : [],
  ]);
  const page = (
    <MailboxesPage
      mailboxes={rows.map(toMailbox)}
      domains={domains.map(({ domain }) => domain).filter(({ isSandbox }) => !isSandbox)}
    />
  );
  return respondPage(c, page, { notices, next, nextLabel: "More" });
}
