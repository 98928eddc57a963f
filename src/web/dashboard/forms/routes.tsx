import type { Context } from "hono";
import { Hono } from "hono";
import { getList, ListPatch, toList, updateList } from "../../../audience/contacts/index.ts";
import {
  createForm,
  deleteForm,
  FormIn,
  type FormOut,
  FormPatch,
  formUrl,
  getForm,
  listForms,
  toForm,
  updateForm,
} from "../../../audience/forms/index.ts";
import type { AppEnv } from "../../../http/env.ts";
import { readForm } from "../../../http/fields.ts";
import { onceForForm } from "../../../http/idempotency.ts";
import { respondPage } from "../../../http/page.tsx";
import { parseFields, type Refusal, submitForm, textOf } from "../../../http/page-form.ts";
import { pageFor } from "../../../http/page-right.ts";
import { ConfirmPage } from "../../../http/ui/index.ts";
import { fromLines, toLines } from "./field-lines.ts";
import { type ConfirmationDraft, type FormDraft, FormPage, FormsPage } from "./page.tsx";

const notices: Readonly<Record<string, string>> = {
  created: "The form is created.",
  changed: "The form is changed.",
  deleted: "The form is deleted.",
  confirmation: "The confirmation is changed.",
};

const LIST = "GET /v1/contacts/:list_id/forms";
const CREATE = "POST /v1/contacts/:list_id/forms";
const UPDATE = "PATCH /v1/contacts/:list_id/forms/:form_id";
const DELETE = "DELETE /v1/contacts/:list_id/forms/:form_id";

/** Greatest body of these forms, in bytes: percent-encoding triples their texts. */
const MAX_FORM_BYTES = 60_000;

export const formManagementPages = new Hono<AppEnv>()
  .get("/app/contacts/:list_id/forms", ...pageFor(LIST), (c) => showForms(c))
  .post("/app/contacts/:list_id/forms", ...pageFor(CREATE), async (c) => {
    const draft = toDraft(await readForm(c, MAX_FORM_BYTES));
    const listId = c.req.param("list_id");
    return submitForm(
      c,
      async () => {
        const { is_active: _, ...fields } = toFields(draft);
        const input = parseFields(FormIn, fields);
        await onceForForm(c, draft.idempotencyKey, JSON.stringify([listId, input]), (ctx) =>
          createForm(ctx, listId, input),
        );
        return `/app/contacts/${listId}/forms?done=created`;
      },
      (refusal) => showForms(c, { draft, refusal, refused: "form" }),
    );
  })
  .post("/app/contacts/:list_id/confirmation", ...pageFor("PATCH /v1/contacts/:list_id"), async (c) => {
    const form = await readForm(c, MAX_FORM_BYTES);
    const confirmation = {
      confirm: textOf(form, "confirm") !== null,
      subject: form.get("confirm_subject") ?? "",
      text: unixLines(form.get("confirm_text")),
    };
    const listId = c.req.param("list_id");
    return submitForm(
      c,
      async () => {
        const { confirm, subject, text } = confirmation;
        const patch = { confirm, confirm_subject: subject || null, confirm_text: text || null };
        await updateList(c.get("caller"), listId, parseFields(ListPatch, patch));
        return `/app/contacts/${listId}/forms?done=confirmation`;
      },
      (refusal) => showForms(c, { confirmation, refusal, refused: "confirmation" }),
    );
  })
  .get("/app/contacts/:list_id/forms/:form_id", ...pageFor(UPDATE), (c) => showForm(c))
  .post("/app/contacts/:list_id/forms/:form_id", ...pageFor(UPDATE), async (c) => {
    const draft = toDraft(await readForm(c, MAX_FORM_BYTES));
    const { list_id, form_id } = c.req.param();
    return submitForm(
      c,
      async () => {
        await updateForm(c.get("caller"), list_id, form_id, parseFields(FormPatch, toFields(draft)));
        return `/app/contacts/${list_id}/forms?done=changed`;
      },
      (refusal) => showForm(c, { draft, refusal }),
    );
  })
  .get("/app/contacts/:list_id/forms/:form_id/delete", ...pageFor(DELETE), async (c) => {
    const { list_id, form_id } = c.req.param();
    const { name } = await getForm(c.get("caller"), list_id, form_id);
    const page = (
      <ConfirmPage
        title={`Delete ${name}?`}
        button="Delete form"
        back={`/app/contacts/${list_id}/forms/${form_id}`}
        at="/app/contacts"
        caller={c.get("caller")}
      >
        Its page and the HTML in your pages stop working. What people agreed to by it is kept.
      </ConfirmPage>
    );
    return respondPage(c, page);
  })
  .post("/app/contacts/:list_id/forms/:form_id/delete", ...pageFor(DELETE), async (c) => {
    const { list_id, form_id } = c.req.param();
    await deleteForm(c.get("caller"), list_id, form_id);
    return c.redirect(`/app/contacts/${list_id}/forms?done=deleted`, 303);
  });

const unixLines = (text: string | null) => (text ?? "").replaceAll("\r\n", "\n");

const toDraft = (form: URLSearchParams): FormDraft => ({
  name: form.get("name") ?? "",
  title: form.get("title") ?? "",
  text: unixLines(form.get("text")),
  button: form.get("button") ?? "",
  fields: unixLines(form.get("fields")),
  successMessage: unixLines(form.get("success_message")),
  redirectUrl: form.get("redirect_url") ?? "",
  isActive: textOf(form, "is_active") !== null,
  idempotencyKey: form.get("idempotency_key") ?? "",
});

const toFields = ({ name, title, text, button, fields, successMessage, redirectUrl, isActive }: FormDraft) => ({
  ...{ name, title, text, button, fields: fromLines(fields), success_message: successMessage },
  redirect_url: redirectUrl.trim() || null,
  is_active: isActive,
});

const draftOf = (form: FormOut): FormDraft => ({
  ...form,
  fields: toLines(form.fields),
  successMessage: form.success_message,
  redirectUrl: form.redirect_url ?? "",
  isActive: form.is_active,
  idempotencyKey: "",
});

const emptyDraft = (): FormDraft => {
  const { button, success_message: successMessage } = FormIn.parse({ name: "x", title: "x", text: "x" });
  const texts = { name: "", title: "", text: "", fields: "", redirectUrl: "" };
  return { ...texts, button, successMessage, isActive: true, idempotencyKey: crypto.randomUUID() };
};

interface Submitted {
  draft?: FormDraft;
  confirmation?: ConfirmationDraft;
  refused: "form" | "confirmation";
  refusal: Refusal;
}

async function showForms(c: Context<AppEnv>, submitted?: Submitted) {
  const caller = c.get("caller");
  const row = await getList(caller, c.req.param("list_id") ?? "");
  const list = toList(row);
  const forms = await Promise.all(
    (await listForms(caller, row)).map(async (form) => toForm(form, await formUrl(caller, form))),
  );
  const stored = { confirm: list.confirm, subject: list.confirm_subject ?? "", text: list.confirm_text ?? "" };
  const page = (
    <FormsPage
      {...{ caller, list, forms }}
      draft={submitted?.draft ?? emptyDraft()}
      confirmation={submitted?.confirmation ?? stored}
      refused={submitted?.refused}
      refusal={submitted?.refusal}
      notice={submitted ? undefined : notices[c.req.query("done") ?? ""]}
    />
  );
  return respondPage(c, page, { status: submitted?.refusal.status ?? 200 });
}

async function showForm(c: Context<AppEnv>, submitted?: { draft: FormDraft; refusal: Refusal }) {
  const caller = c.get("caller");
  const [listId, formId] = [c.req.param("list_id") ?? "", c.req.param("form_id") ?? ""];
  const row = await getForm(caller, listId, formId);
  const form = toForm(row, await formUrl(caller, row));
  const page = (
    <FormPage
      {...{ caller, form }}
      list={{ id: row.listId, name: row.listName }}
      draft={submitted?.draft ?? draftOf(form)}
      refusal={submitted?.refusal}
    />
  );
  return respondPage(c, page, { status: submitted?.refusal.status ?? 200 });
}
