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
import { type AppContext, newRoutes } from "../../../http/env.ts";
import { respondPage } from "../../../http/page.tsx";
import { onceForForm, pageFor, parseFields, readForm, submitForm } from "../../../http/page-routes.ts";
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

export const contactPages = newRoutes()
  .get("/app/contacts", ...pageFor("GET /v1/contacts/"), showLists)
  .post("/app/contacts", ...pageFor("POST /v1/contacts/"), (c) =>
    submitForm(c, showLists, async (fields) => {
      const input = parseFields(ListIn, { name: fields.get("name") ?? "" });
      const { id } = await onceForForm(c, (ctx) => createList(ctx, input));
      return `/app/contacts/${id}?done=created`;
    }),
  )
  .get("/app/contacts/:list_id", ...pageFor("GET /v1/contacts/:list_id"), showList)
  .post("/app/contacts/:list_id", ...pageFor("POST /v1/contacts/:list_id/contacts"), (c) =>
    submitForm(c, showList, async (fields) => {
      const id = c.req.param("list_id");
      const [email, name] = [fields.get("email") ?? "", fields.get("name") ?? ""];
      const input = parseFields(ContactIn, { email: email.trim(), name: name || null });
      await onceForForm(c, (ctx) => addContact(ctx, id, input));
      return `/app/contacts/${id}?done=added`;
    }),
  )
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
    const { id, name } = await getList(c.get("caller"), c.req.param("list_id"));
    return respondPage(
      c,
      <ConfirmPage title={`Delete ${name}?`} button="Delete list" back={`/app/contacts/${id}`}>
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

async function askBeforeDeletion(c: AppContext, listId: string, contactId: string) {
  const { email } = await getContact(c.get("caller"), listId, contactId);
  return respondPage(
    c,
    <ConfirmPage
      title={`Delete ${email}?`}
      button="Delete contact"
      back={`/app/contacts/${listId}`}
      fields={{ confirmed: "yes" }}
    >
      {deletionQuestion(email)}
    </ConfirmPage>,
  );
}

async function showLists(c: AppContext) {
  const lists = await listLists(c.get("caller"));
  return respondPage(c, <ListsPage lists={lists.map(toList)} />, { notices });
}

async function showList(c: AppContext) {
  const id = c.req.param("list_id") ?? "";
  const search = (c.req.query("q") ?? "").slice(0, 320);
  const after = c.req.query("after")?.toLowerCase();
  const query = { page: 0, limit: PAGE_SIZE, q: lowerCaseAscii(search), after };
  const { list, contacts, next } = await listContacts(c.get("caller"), id, query);
  const parameters = next === null ? null : new URLSearchParams({ ...(search ? { q: search } : {}), after: next });
  return respondPage(c, <ListPage list={toList(list)} contacts={contacts.map(toContact)} search={search} />, {
    notices,
    next: parameters && `/app/contacts/${id}?${parameters}`,
    nextLabel: "More",
  });
}
