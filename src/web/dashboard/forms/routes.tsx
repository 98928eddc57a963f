import { getList, ListPatch, toList, updateList } from "../../../audience/contacts/index.ts";
import {
  createForm,
  deleteForm,
  FormIn,
  FormPatch,
  formUrl,
  getForm,
  listForms,
  toForm,
  updateForm,
} from "../../../audience/forms/index.ts";
import { type AppContext, newRoutes } from "../../../http/env.ts";
import { respondPage } from "../../../http/page.tsx";
import { onceForForm, pageFor, parseFields, submitForm, textOf } from "../../../http/page-routes.ts";
import { ConfirmPage } from "../../../http/ui/index.ts";
import { fromLines } from "./field-lines.ts";
import { FormPage, FormsPage } from "./page.tsx";

const notices: Readonly<Record<string, string>> = {
  created: "The form is created.",
  changed: "The form is changed.",
  deleted: "The form is deleted.",
  confirmation: "The confirmation is changed.",
};

const UPDATE = "PATCH /v1/contacts/:list_id/forms/:form_id";
const DELETE = "DELETE /v1/contacts/:list_id/forms/:form_id";

/** Greatest body of these forms, in bytes: percent-encoding triples their texts. */
const MAX_FORM_BYTES = 60_000;

export const formManagementPages = newRoutes()
  .get("/app/contacts/:list_id/forms", ...pageFor("GET /v1/contacts/:list_id/forms"), showForms)
  .post("/app/contacts/:list_id/forms", ...pageFor("POST /v1/contacts/:list_id/forms"), (c) =>
    submitForm(c, { show: showForms, maxBytes: MAX_FORM_BYTES }, async (fields) => {
      const listId = c.req.param("list_id");
      const input = parseFields(FormIn, readFields(fields));
      await onceForForm(c, (ctx) => createForm(ctx, listId, input));
      return `/app/contacts/${listId}/forms?done=created`;
    }),
  )
  .post("/app/contacts/:list_id/confirmation", ...pageFor("PATCH /v1/contacts/:list_id"), (c) =>
    submitForm(c, { show: showForms, maxBytes: MAX_FORM_BYTES }, async (fields) => {
      const listId = c.req.param("list_id");
      const patch = {
        confirm: textOf(fields, "confirm") !== null,
        confirm_subject: textOf(fields, "confirm_subject"),
        confirm_text: unixLines(fields.get("confirm_text")) || null,
      };
      await updateList(c.get("caller"), listId, parseFields(ListPatch, patch));
      return `/app/contacts/${listId}/forms?done=confirmation`;
    }),
  )
  .get("/app/contacts/:list_id/forms/:form_id", ...pageFor(UPDATE), showForm)
  .post("/app/contacts/:list_id/forms/:form_id", ...pageFor(UPDATE), (c) =>
    submitForm(c, { show: showForm, maxBytes: MAX_FORM_BYTES }, async (fields) => {
      const { list_id, form_id } = c.req.param();
      const patch = { ...readFields(fields), is_active: textOf(fields, "is_active") !== null };
      await updateForm(c.get("caller"), list_id, form_id, parseFields(FormPatch, patch));
      return `/app/contacts/${list_id}/forms?done=changed`;
    }),
  )
  .get("/app/contacts/:list_id/forms/:form_id/delete", ...pageFor(DELETE), async (c) => {
    const { list_id, form_id } = c.req.param();
    const { name } = await getForm(c.get("caller"), list_id, form_id);
    return respondPage(
      c,
      <ConfirmPage title={`Delete ${name}?`} button="Delete form" back={`/app/contacts/${list_id}/forms/${form_id}`}>
        Its page and the HTML in your pages stop working. What people agreed to by it is kept.
      </ConfirmPage>,
    );
  })
  .post("/app/contacts/:list_id/forms/:form_id/delete", ...pageFor(DELETE), async (c) => {
    const { list_id, form_id } = c.req.param();
    await deleteForm(c.get("caller"), list_id, form_id);
    return c.redirect(`/app/contacts/${list_id}/forms?done=deleted`, 303);
  });

const unixLines = (text: string | null) => (text ?? "").replaceAll("\r\n", "\n");

/** Returns the fields of the API call. */
const readFields = (fields: URLSearchParams) => ({
  name: fields.get("name") ?? "",
  title: fields.get("title") ?? "",
  text: unixLines(fields.get("text")),
  button: fields.get("button") ?? "",
  fields: fromLines(unixLines(fields.get("fields"))),
  success_message: unixLines(fields.get("success_message")),
  redirect_url: fields.get("redirect_url")?.trim() || null,
});

async function showForms(c: AppContext) {
  const caller = c.get("caller");
  const row = await getList(caller, c.req.param("list_id") ?? "");
  const forms = await Promise.all(
    (await listForms(caller, row)).map(async (form) => toForm(form, await formUrl(caller, form))),
  );
  return respondPage(c, <FormsPage list={toList(row)} forms={forms} />, { notices });
}

async function showForm(c: AppContext) {
  const caller = c.get("caller");
  const [listId, formId] = [c.req.param("list_id") ?? "", c.req.param("form_id") ?? ""];
  const row = await getForm(caller, listId, formId);
  const form = toForm(row, await formUrl(caller, row));
  return respondPage(c, <FormPage form={form} list={{ id: row.listId, name: row.listName }} />);
}
