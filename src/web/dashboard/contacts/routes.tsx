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
import type { AppContext } from "../../../http/env.ts";
import { inputOf } from "../../../http/form-input.ts";
import { respondPage } from "../../../http/page.tsx";
import { creation, deletion, get, page, pagesOf, post } from "../../../http/page-actions.tsx";
import { readForm } from "../../../http/page-routes.ts";
import { ConfirmPage } from "../../../http/ui/index.ts";
import { lowerCaseAscii } from "../../../lib/addresses.ts";
import { withQuery } from "../../../lib/with-query.ts";
import { PAGE_SIZE } from "../page-size.ts";
import { contactRoutes } from "./contact-routes.tsx";
import { importPages } from "./import-routes.tsx";
import { deletionQuestion, ListPage, ListsPage } from "./page.tsx";
import { personRoutes } from "./person-routes.tsx";
import { sendRoutes } from "./send-routes.tsx";

export const contactPages = pagesOf(
  "list",
  page("/app/contacts", "GET /v1/contacts/", async (c) => {
    const lists = await listLists(c.get("caller"));
    return respondPage(c, <ListsPage lists={lists.map(toList)} />);
  }),
  creation("/app/contacts", "POST /v1/contacts/", { read: inputOf(ListIn), run: createList, to: "/app/contacts/:id" }),
  page("/app/contacts/:list_id", "GET /v1/contacts/:list_id", async (c) => {
    const id = c.req.param("list_id") ?? "";
    const search = (c.req.query("q") ?? "").slice(0, 320);
    const after = c.req.query("after")?.toLowerCase();
    const query = { page: 0, limit: PAGE_SIZE, q: lowerCaseAscii(search), after };
    const { list, contacts, next } = await listContacts(c.get("caller"), id, query);
    return respondPage(c, <ListPage list={toList(list)} contacts={contacts.map(toContact)} search={search} />, {
      next: next && withQuery(`/app/contacts/${id}`, { q: search, after: next }),
      nextLabel: "More",
    });
  }),
  creation("/app/contacts/:list_id", "POST /v1/contacts/:list_id/contacts", {
    read: inputOf(ContactIn),
    run: addContact,
    done: { added: "The contact is added." },
  }),
  importPages,
  ...sendRoutes,
  ...contactRoutes,
  ...personRoutes,
  get("/app/contacts/:list_id/export", "GET /v1/contacts/:list_id/export", async (c) =>
    c.body(await exportContacts(c.get("caller"), c.req.param("list_id")), 200, {
      "Content-Type": "text/csv; charset=utf-8",
      "Content-Disposition": 'attachment; filename="contacts.csv"',
      "Cache-Control": "no-store",
    }),
  ),
  deletion("/app/contacts/:list_id/delete", "DELETE /v1/contacts/:list_id", {
    of: getList,
    title: ({ name }) => `Delete ${name}?`,
    text: "Its contacts are deleted, and waiting emails of broadcasts to them are cancelled. This cannot be undone.",
    run: deleteList,
  }),
  post(
    "/app/contacts/:list_id/contacts/:contact_id/delete",
    "DELETE /v1/contacts/:list_id/contacts/:contact_id",
    async (c) => {
      const { list_id, contact_id } = c.req.param();
      // Without a script the question was not asked yet.
      if ((await readForm(c)).get("confirmed") !== "yes") return askBeforeDeletion(c, list_id, contact_id);
      await deleteContact(c.get("caller"), list_id, contact_id);
      return c.redirect(`/app/contacts/${list_id}?done=contact-deleted`, 303);
    },
    { "contact-deleted": "The contact is deleted." },
  ),
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
