import type { Context } from "hono";
import { Hono } from "hono";
import {
  addContact,
  ContactIn,
  createList,
  deleteContact,
  deleteList,
  exportContacts,
  getContact,
  getList,
  ListIn,
  listContacts,
  listLists,
  toContact,
  toList,
} from "../../../audience/contacts/index.ts";
import type { AppEnv } from "../../../http/env.ts";
import { readForm } from "../../../http/fields.ts";
import { onceForForm } from "../../../http/idempotency.ts";
import { respondPage } from "../../../http/page.tsx";
import { parseFields, type Refusal, submitForm, textOf } from "../../../http/page-form.ts";
import { pageFor } from "../../../http/page-right.ts";
import { ConfirmPage } from "../../../http/ui/index.ts";
import { lowerCaseAscii } from "../../../lib/addresses.ts";
import { PAGE_SIZE } from "../page-size.ts";
import { contactEditPages } from "./contact-routes.tsx";
import { importPages } from "./import-routes.tsx";
import { deletionQuestion, ListPage, ListsPage } from "./page.tsx";
import { personPages } from "./person-routes.tsx";
import { sendPages } from "./send-routes.tsx";

const DELETE = "DELETE /v1/contacts/:list_id";

const notices: Readonly<Record<string, string>> = {
  created: "The list is created.",
  added: "The contact is added.",
  changed: "The contact is changed.",
  "contact-deleted": "The contact is deleted.",
  deleted: "The list is deleted.",
};

export const contactPages = new Hono<AppEnv>()
  .get("/app/contacts", ...pageFor("GET /v1/contacts/"), (c) => showLists(c))
  .post("/app/contacts", ...pageFor("POST /v1/contacts/"), async (c) => {
    const fields = await readForm(c);
    const form = { name: fields.get("name") ?? "", idempotencyKey: fields.get("idempotency_key") ?? "" };
    return submitForm(
      c,
      async () => {
        const input = parseFields(ListIn, { name: form.name });
        const run = onceForForm(c, form.idempotencyKey, form.name, (ctx) => createList(ctx, input));
        return `/app/contacts/${(await run).id}?done=created`;
      },
      (refusal) => showLists(c, { form, refusal }),
    );
  })
  .get("/app/contacts/:list_id", ...pageFor("GET /v1/contacts/:list_id"), (c) => showList(c))
  .post("/app/contacts/:list_id", ...pageFor("POST /v1/contacts/:list_id/contacts"), async (c) => {
    const fields = await readForm(c);
    const field = (name: string) => fields.get(name) ?? "";
    const form = { email: field("email"), name: field("name"), idempotencyKey: field("idempotency_key") };
    const id = c.req.param("list_id");
    return submitForm(
      c,
      async () => {
        const input = parseFields(ContactIn, { email: form.email.trim(), name: textOf(fields, "name") });
        await onceForForm(c, form.idempotencyKey, JSON.stringify([id, form.email, form.name]), (ctx) =>
          addContact(ctx, id, input),
        );
        return `/app/contacts/${id}?done=added`;
      },
      (refusal) => showList(c, { refusal, form }),
    );
  })
  .route("/", importPages)
  .route("/", sendPages)
  .route("/", contactEditPages)
  .route("/", personPages)
  .get("/app/contacts/:list_id/export", ...pageFor("GET /v1/contacts/:list_id/export"), async (c) => {
    const stream = await exportContacts(c.get("caller"), c.req.param("list_id"));
    return c.body(stream, 200, {
      "Content-Type": "text/csv; charset=utf-8",
      "Content-Disposition": 'attachment; filename="contacts.csv"',
      "Cache-Control": "no-store",
    });
  })
  .get("/app/contacts/:list_id/delete", ...pageFor(DELETE), async (c) => {
    const caller = c.get("caller");
    const { id, name } = await getList(caller, c.req.param("list_id"));
    return respondPage(
      c,
      <ConfirmPage
        title={`Delete ${name}?`}
        caller={caller}
        button="Delete list"
        back={`/app/contacts/${id}`}
        at="/app/contacts"
      >
        Its contacts are deleted, and waiting emails of broadcasts to them are cancelled. This cannot be undone.
      </ConfirmPage>,
    );
  })
  .post("/app/contacts/:list_id/delete", ...pageFor(DELETE), async (c) => {
    await deleteList(c.get("caller"), c.req.param("list_id"));
    return c.redirect("/app/contacts?done=deleted", 303);
  })
  .post(
    "/app/contacts/:list_id/contacts/:contact_id/delete",
    ...pageFor("DELETE /v1/contacts/:list_id/contacts/:contact_id"),
    async (c) => {
      const { list_id, contact_id } = c.req.param();
      // Without a script the question was not asked yet.
      if ((await readForm(c)).get("confirmed") !== "yes") return askBeforeDeletion(c, list_id, contact_id);
      await deleteContact(c.get("caller"), list_id, contact_id);
      return c.redirect(`/app/contacts/${list_id}?done=contact-deleted`, 303);
    },
  );

async function askBeforeDeletion(c: Context<AppEnv>, listId: string, contactId: string) {
  const caller = c.get("caller");
  const { email } = await getContact(caller, listId, contactId);
  return respondPage(
    c,
    <ConfirmPage
      title={`Delete ${email}?`}
      caller={caller}
      button="Delete contact"
      back={`/app/contacts/${listId}`}
      at="/app/contacts"
      fields={{ confirmed: "yes" }}
    >
      {deletionQuestion(email)}
    </ConfirmPage>,
  );
}

async function showLists(
  c: Context<AppEnv>,
  submitted?: { form: { name: string; idempotencyKey: string }; refusal: Refusal },
) {
  const caller = c.get("caller");
  const page = (
    <ListsPage
      caller={caller}
      lists={(await listLists(caller)).map(toList)}
      form={submitted?.form ?? { name: "", idempotencyKey: crypto.randomUUID() }}
      notice={submitted ? undefined : notices[c.req.query("done") ?? ""]}
      refusal={submitted?.refusal}
    />
  );
  return respondPage(c, page, { status: submitted?.refusal.status ?? 200 });
}

interface SubmittedContact {
  refusal?: Refusal;
  form?: { email: string; name: string; idempotencyKey: string };
}

async function showList(c: Context<AppEnv>, submitted: SubmittedContact = {}) {
  const caller = c.get("caller");
  const id = c.req.param("list_id") ?? "";
  const search = (c.req.query("q") ?? "").slice(0, 320);
  const after = c.req.query("after")?.toLowerCase();
  const query = { page: 0, limit: PAGE_SIZE, q: lowerCaseAscii(search), after };
  const { list, contacts, next } = await listContacts(caller, id, query);
  const parameters = next === null ? null : new URLSearchParams({ ...(search ? { q: search } : {}), after: next });
  const page = (
    <ListPage
      caller={caller}
      list={toList(list)}
      contacts={contacts.map(toContact)}
      search={search}
      form={submitted.form ?? { email: "", name: "", idempotencyKey: crypto.randomUUID() }}
      next={parameters && `/app/contacts/${id}?${parameters}`}
      notice={submitted.refusal ? undefined : notices[c.req.query("done") ?? ""]}
      refusal={submitted.refusal}
    />
  );
  return respondPage(c, page, { status: submitted.refusal?.status ?? 200 });
}
