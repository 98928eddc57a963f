import type { AppContext } from "../../../http/env.ts";
import { respondPage } from "../../../http/page.tsx";
import { getTemplate, toTemplate } from "../../../sending/templates/index.ts";
import { editedContent } from "../blocks/index.ts";
import { CONTACT, contactValues } from "../contact-values.ts";
import { readSamples } from "../sample-values.ts";
import { listSenders } from "../senders.ts";
import { toForm, toTemplateForm } from "./form.ts";
import { TemplatePage } from "./page.tsx";

/** Returns the page of a new template. */
export async function showNew(c: AppContext) {
  const { content, change } = await editedContent(c, null);
  const form = { ...toTemplateForm(c.get("form")), ...content };
  return respondPage(c, <TemplatePage template={null} form={form} change={change} />, { frames: true });
}

/** Returns the page of a stored template. Throws 404. */
export async function showTemplate(c: AppContext) {
  const caller = c.get("caller");
  const [row, senders] = await Promise.all([
    getTemplate(caller, c.req.param("template_id") ?? ""),
    listSenders(caller),
  ]);
  const template = toTemplate(row);
  const fields = c.get("form") ?? new URL(c.req.url).searchParams;
  // Other forms of the page do not have the fields of the template.
  const { content, change } = await editedContent(c, template);
  const form = { ...(c.get("form")?.has("name") ? toTemplateForm(fields) : toForm(template)), ...content };
  const contact = fields.get(CONTACT) ?? "";
  const page = (
    <TemplatePage
      template={template}
      form={form}
      samples={readSamples(fields)}
      contact={contact}
      hasContact={contact === "" || (await contactValues(caller, contact)) !== null}
      senders={senders}
      change={change}
    />
  );
  return respondPage(c, page, { frames: true });
}
