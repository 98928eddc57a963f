import { type FormValues, versionOf } from "../../../lib/form-version.ts";
import type { Block, TemplateOut } from "../../../sending/templates/index.ts";
import { contentValues, readContent, toContent, toTexts, type WrittenContent } from "../blocks/index.ts";

/** The fields of the form of a template, as they were filled in. */
export interface TemplateForm extends WrittenContent {
  name: string;
  subject: string;
  /** Of what the form began from. Empty: a new template. */
  version: string;
}

/** Returns the form of a stored template. */
export function toForm(template: TemplateOut): TemplateForm {
  const form = { name: template.name, subject: template.subject ?? "", ...toContent(template), version: "" };
  return { ...form, version: versionOf(valuesOf(form)) };
}

/** Returns what the form shows and changes, by label. */
export const valuesOf = ({ name, subject, ...content }: TemplateForm): FormValues => ({
  Name: name,
  Subject: subject,
  ...contentValues(content),
});

/** Reads the submitted form. Without fields it is that of a new template. */
export function toTemplateForm(fields = new URLSearchParams()): TemplateForm {
  const field = (name: string) => fields.get(name) ?? "";
  return { name: field("name"), subject: field("subject"), ...readContent(fields), version: field("version") };
}

/** Returns the body of the API call that saves the form, in place of the blocks that are stored. Throws as `toTexts`. */
export const toRequest = ({ name, subject, ...content }: TemplateForm, stored: Block[] | null = null) => ({
  name,
  subject: subject || null,
  ...toTexts(content, stored),
});
