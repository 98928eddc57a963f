import { getList, ListPatch, listLists, toList, updateList } from "../../../audience/contacts/index.ts";
import {
  createForm,
  deleteForm,
  FormIn,
  FormPatch,
  formUrl,
  getForm,
  listAllForms,
  listForms,
  toForm,
  updateForm,
} from "../../../audience/forms/index.ts";
import type { AppContext } from "../../../http/env.ts";
import { inputOf, isChecked } from "../../../http/form-input.ts";
import { readPage, respondPage } from "../../../http/page.tsx";
import { change, creation, deletion, page, pagesOf } from "../../../http/page-actions.tsx";
import { listSenders } from "../senders.ts";
import { fromLines } from "./field-lines.ts";
import { AllFormsPage, FormPage, FormsPage } from "./page.tsx";

const LIST = "/app/contacts/:list_id/forms";
const UPDATE = "PATCH /v1/contacts/:list_id/forms/:form_id";

/** Greatest body of these forms, in bytes: percent-encoding triples their texts. */
const maxBytes = 60_000;

const readFields = (form: URLSearchParams) => fromLines(form.get("fields") ?? "");

export const formManagementPages = pagesOf(
  "form",
  page("/app/forms", "GET /v1/contacts/:list_id/forms", async (c) => {
    const caller = c.get("caller");
    const [{ rows, next }, lists] = await Promise.all([
      readPage(c, { path: "/app/forms", read: listAllForms, after: ({ id }) => id }),
      listLists(caller),
    ]);
    const forms = await Promise.all(
      rows.map(async (row) => ({ ...toForm(row, await formUrl(caller, row)), listName: row.listName })),
    );
    return respondPage(c, <AllFormsPage forms={forms} lists={lists} />, { next, nextLabel: "More" });
  }),
  page("/app/contacts/:list_id/forms", "GET /v1/contacts/:list_id/forms", showForms),
  creation("/app/contacts/:list_id/forms", "POST /v1/contacts/:list_id/forms", {
    read: inputOf(FormIn, { fields: readFields }),
    run: createForm,
    maxBytes,
  }),
  change("/app/contacts/:list_id/confirmation", "PATCH /v1/contacts/:list_id", {
    read: inputOf(ListPatch, { confirm: isChecked }),
    run: updateList,
    show: showForms,
    to: LIST,
    done: { confirmation: "The confirmation is changed." },
    maxBytes,
  }),
  page("/app/contacts/:list_id/forms/:form_id", UPDATE, showForm),
  change("/app/contacts/:list_id/forms/:form_id", UPDATE, {
    read: inputOf(FormPatch, { fields: readFields, is_active: isChecked }),
    run: updateForm,
    to: LIST,
    maxBytes,
  }),
  deletion("/app/contacts/:list_id/forms/:form_id/delete", "DELETE /v1/contacts/:list_id/forms/:form_id", {
    of: getForm,
    title: ({ name }) => `Delete ${name}?`,
    text: "Its page and the HTML in your pages stop working. What people agreed to by it is kept.",
    run: deleteForm,
  }),
);

async function showForms(c: AppContext) {
  const caller = c.get("caller");
  const row = await getList(caller, c.req.param("list_id") ?? "");
  const [rows, senders] = await Promise.all([listForms(caller, row), listSenders(caller)]);
  const forms = await Promise.all(rows.map(async (form) => toForm(form, await formUrl(caller, form))));
  return respondPage(c, <FormsPage list={toList(row)} forms={forms} senders={senders} />);
}

async function showForm(c: AppContext) {
  const caller = c.get("caller");
  const [listId, formId] = [c.req.param("list_id") ?? "", c.req.param("form_id") ?? ""];
  const row = await getForm(caller, listId, formId);
  const form = toForm(row, await formUrl(caller, row));
  return respondPage(c, <FormPage form={form} list={{ id: row.listId, name: row.listName }} />);
}
