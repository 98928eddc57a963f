import type { Context } from "hono";
import { Hono } from "hono";
import { SendIn, sendEmail } from "../../emails/index.ts";
import { notFound } from "../../errors.ts";
import type { AppEnv } from "../../http/env.ts";
import { readForm } from "../../http/fields.ts";
import { onceForForm } from "../../http/idempotency.ts";
import { respondMailHtml, respondPage } from "../../http/page.tsx";
import { parseFields, type Refusal, submitForm, textOf } from "../../http/page-form.ts";
import { pageFor } from "../../http/page-right.ts";
import {
  createTemplate,
  deleteTemplate,
  duplicateTemplate,
  getTemplate,
  listTemplates,
  previewTemplate,
  TemplateIn,
  TemplatePatch,
  toTemplate,
  updateTemplate,
} from "../../templates/index.ts";
import { ConfirmPage } from "../../ui/index.ts";
import { pageUser } from "../page-user.ts";
import { listSenders } from "../senders.ts";
import { type TemplateForm, TemplatePage, TemplatesPage } from "./page.tsx";
import { readSamples, type Samples, toVariables } from "./preview.tsx";

const PAGE_SIZE = 50;
/** Greatest body of the form, in bytes: percent-encoding triples what it has to. */
const MAX_FORM_BYTES = 3_000_000;
/** Greatest body of the form that sends a test, in bytes. */
const MAX_TEST_BYTES = 250_000;
const DELETE = "DELETE /v1/templates/:template_id";

const notices: Readonly<Record<string, string>> = {
  saved: "The template is saved.",
  duplicated: "This is the copy.",
  deleted: "The template is deleted.",
};

const emptyForm = (): TemplateForm => ({
  ...{ name: "", subject: "", html_body: "", text_body: "" },
  idempotencyKey: crypto.randomUUID(),
});

async function readTemplateForm(c: Context<AppEnv>) {
  const fields = await readForm(c, MAX_FORM_BYTES);
  const field = (name: string) => (fields.get(name) ?? "").replaceAll("\r\n", "\n");
  const form: TemplateForm = {
    ...{ name: field("name"), subject: field("subject"), html_body: field("html_body"), text_body: field("text_body") },
    idempotencyKey: field("idempotency_key"),
  };
  const request = {
    name: form.name,
    subject: textOf(fields, "subject"),
    html_body: form.html_body || null,
    text_body: form.text_body || null,
  };
  return { form, request };
}

export const templatePages = new Hono<AppEnv>()
  .get("/app/templates", ...pageFor("GET /v1/templates/"), async (c) => {
    const caller = c.get("caller");
    const [updatedAt, id] = (c.req.query("after") ?? "").split(" ");
    const after = id ? { after: { updatedAt: Number(updatedAt) || 0, id } } : {};
    const { rows, next } = await listTemplates(caller, { ...after, limit: PAGE_SIZE });
    const path = next && `/app/templates?${new URLSearchParams({ after: `${next.updatedAt} ${next.id}` })}`;
    const notice = notices[c.req.query("done") ?? ""];
    return respondPage(
      c,
      <TemplatesPage caller={caller} templates={rows.map(toTemplate)} next={path} notice={notice} />,
    );
  })
  .get("/app/templates/new", ...pageFor("POST /v1/templates/"), (c) => showNew(c, emptyForm()))
  .post("/app/templates/new", ...pageFor("POST /v1/templates/"), async (c) => {
    const { form, request } = await readTemplateForm(c);
    return submitForm(
      c,
      async () => {
        const input = parseFields(TemplateIn, request);
        const run = onceForForm(c, form.idempotencyKey, JSON.stringify(request), (ctx) => createTemplate(ctx, input));
        return `/app/templates/${(await run).id}?done=saved`;
      },
      (refusal) => showNew(c, form, refusal),
    );
  })
  .get("/app/templates/:template_id", ...pageFor("GET /v1/templates/:template_id"), (c) => showTemplate(c))
  .post("/app/templates/:template_id", ...pageFor("PATCH /v1/templates/:template_id"), async (c) => {
    const { form, request } = await readTemplateForm(c);
    const id = c.req.param("template_id");
    return submitForm(
      c,
      async () => {
        await updateTemplate(c.get("caller"), id, parseFields(TemplatePatch, request));
        return `/app/templates/${id}?done=saved`;
      },
      (refusal) => showTemplate(c, { form, refusal }),
    );
  })
  .get("/app/templates/:template_id/html", ...pageFor("POST /v1/templates/:template_id/preview"), async (c) => {
    const caller = c.get("caller");
    const id = c.req.param("template_id");
    const template = toTemplate(await getTemplate(caller, id));
    const variables = toVariables(template, readSamples(new URL(c.req.url).searchParams));
    const { html_body } = await previewTemplate(caller, id, { variables });
    if (html_body === null) throw notFound("Template");
    return respondMailHtml(c, html_body);
  })
  .post("/app/templates/:template_id/test", ...pageFor("POST /v1/emails/"), async (c) => {
    const caller = c.get("caller");
    const id = c.req.param("template_id");
    const fields = await readForm(c, MAX_TEST_BYTES);
    const samples = readSamples(fields);
    return submitForm(
      c,
      async () => {
        const template = toTemplate(await getTemplate(caller, id));
        const addresses = { from_: { email: fields.get("from_") ?? "" }, to: [{ email: fields.get("to") ?? "" }] };
        const request = { ...addresses, template_id: template.id, variables: toVariables(template, samples) };
        const input = parseFields(SendIn, request);
        const key = fields.get("idempotency_key") ?? "";
        const email = await onceForForm(c, key, JSON.stringify(request), (ctx) => sendEmail(ctx, input, "ui"));
        return `/app/emails/${email.id}?done=sent`;
      },
      (refusal) => showTemplate(c, { refusal, samples }),
    );
  })
  .post("/app/templates/:template_id/duplicate", ...pageFor("POST /v1/templates/:template_id/duplicate"), async (c) => {
    const id = c.req.param("template_id");
    const key = (await readForm(c)).get("idempotency_key") ?? "";
    return submitForm(
      c,
      async () => {
        const copy = await onceForForm(c, key, id, (ctx) => duplicateTemplate(ctx, id));
        return `/app/templates/${copy.id}?done=duplicated`;
      },
      (refusal) => showTemplate(c, { refusal }),
    );
  })
  .get("/app/templates/:template_id/delete", ...pageFor(DELETE), async (c) => {
    const caller = c.get("caller");
    const { id, name } = await getTemplate(caller, c.req.param("template_id"));
    return respondPage(
      c,
      <ConfirmPage
        title={`Delete ${name}?`}
        user={pageUser(caller)}
        button="Delete template"
        back={`/app/templates/${id}`}
        at="/app/templates"
      >
        Sends that name it are refused from then on. This cannot be undone.
      </ConfirmPage>,
    );
  })
  .post("/app/templates/:template_id/delete", ...pageFor(DELETE), async (c) => {
    await deleteTemplate(c.get("caller"), c.req.param("template_id"));
    return c.redirect("/app/templates?done=deleted", 303);
  });

function showNew(c: Context<AppEnv>, form: TemplateForm, refusal?: Refusal) {
  const page = (
    <TemplatePage caller={c.get("caller")} template={null} {...{ form, refusal }} samples={new Map()} senders={[]} />
  );
  return respondPage(c, page, { status: refusal?.status ?? 200 });
}

async function showTemplate(
  c: Context<AppEnv>,
  answer: { refusal?: Refusal; form?: TemplateForm; samples?: Samples } = {},
) {
  const caller = c.get("caller");
  const [row, senders] = await Promise.all([
    getTemplate(caller, c.req.param("template_id") ?? ""),
    listSenders(caller),
  ]);
  const template = toTemplate(row);
  const samples = answer.samples ?? readSamples(new URL(c.req.url).searchParams);
  const form = answer.form ?? {
    name: template.name,
    subject: template.subject ?? "",
    html_body: template.html_body ?? "",
    text_body: template.text_body ?? "",
    idempotencyKey: crypto.randomUUID(),
  };
  const notice = answer.refusal ? undefined : notices[c.req.query("done") ?? ""];
  const page = <TemplatePage {...{ caller, template, form, samples, senders, notice }} refusal={answer.refusal} />;
  return respondPage(c, page, { status: answer.refusal?.status ?? 200, frames: true });
}
