import * as z from "zod";
import { escapeHtml } from "../../lib/placeholders.ts";
import { named, serialize, timestamp } from "../../lib/serialize.ts";
import { lineField, paragraphText } from "../../lib/text-fields.ts";
import type { FormRow } from "./queries.ts";
import { type FormField, fieldsIssue, HONEYPOT, limits } from "./rules.ts";

/** Request and response schemas of forms. */

const FieldIn = z.object({
  name: lineField("name", limits.fieldCharacters).describe("`name` of the contact, or a key of its metadata."),
  label: lineField("label", limits.labelCharacters),
  required: z.boolean().default(false),
});

/** Returns whether a text is an https URL without credentials. */
function isHttpsUrl(text: string): boolean {
  if (text.length > limits.urlCharacters || !URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  return protocol === "https:" && username === "" && password === "";
}

const Fields = {
  name: lineField("name", limits.nameCharacters).describe("Internal name."),
  title: lineField("title", limits.titleCharacters).describe("Heading of the page."),
  text: paragraphText("text", limits.textCharacters)
    .meta({ minLength: 1, maxLength: limits.textCharacters })
    .describe("What a person signs up for. Kept as evidence."),
  button: lineField("button", limits.buttonCharacters),
  fields: z
    .array(FieldIn)
    .max(limits.fields)
    .superRefine((fields, context) => {
      const issue = fieldsIssue(fields);
      if (issue) context.addIssue({ code: "custom", message: issue });
    })
    .describe("Fields beside the address: `name` of the contact, or keys of its metadata."),
  success_message: paragraphText("success_message", limits.messageCharacters)
    .meta({ minLength: 1, maxLength: limits.messageCharacters })
    .describe("Shown after a submission."),
  redirect_url: z
    .string()
    .refine(
      isHttpsUrl,
      `redirect_url must be an https URL without credentials, of at most ${limits.urlCharacters} characters`,
    )
    .nullable()
    .meta({ format: "uri", maxLength: limits.urlCharacters })
    .describe("https URL that follows a submission in place of the message."),
  is_active: z.boolean().describe("false: the form takes no submissions."),
};

const example = {
  name: "Footer of the shop",
  title: "News of the shop",
  text: "Once a month we tell you what is new. You can leave at any time.",
};

export const FormIn = z
  .object({
    ...Fields,
    button: Fields.button.default("Sign up"),
    fields: Fields.fields.default([]),
    success_message: Fields.success_message.default("Thank you. Open the link in the email that we have sent you."),
    redirect_url: Fields.redirect_url.optional(),
    is_active: Fields.is_active.default(true),
  })
  .meta({ ref: "ContactFormCreate", example: { ...example, fields: [{ name: "name", label: "Your name" }] } });
export type FormIn = z.output<typeof FormIn>;

export const FormPatch = z
  .object(Fields)
  .partial()
  .meta({ ref: "ContactFormUpdate", example: { title: "Monthly news", is_active: false } });
export type FormPatch = z.output<typeof FormPatch>;

const url = "https://mail.example.com/f/AAAAAAABAZ1eAAAAcAAAgAAAAAAAAAAAAAAAAAAAAAA0";

export const FormOut = z
  .object({
    id: z.uuid(),
    list_id: z.uuid(),
    name: z.string(),
    title: z.string(),
    text: z.string(),
    button: z.string(),
    fields: z.array(z.object({ name: z.string(), label: z.string(), required: z.boolean() })),
    success_message: z.string(),
    redirect_url: z.string().nullable(),
    is_active: z.boolean(),
    url: z.string().describe("The hosted page of the form."),
    html: z.string().describe("HTML of the form for a page of your own."),
    created_at: timestamp,
  })
  .meta(
    named("ContactForm", {
      id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a0e",
      list_id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a0a",
      ...example,
      button: "Sign up",
      fields: [{ name: "name", label: "Your name", required: false }],
      success_message: "Thank you. Open the link in the email that we have sent you.",
      redirect_url: null,
      is_active: true,
      url,
      html: `<form method="post" action="${url}">…</form>`,
      created_at: "2026-11-21T14:00:00.000Z",
    }),
  );
export type FormOut = z.output<typeof FormOut>;

/** Serializes a form. `url`: the address of its page. */
export function toForm(row: FormRow, url: string): FormOut {
  const fields = JSON.parse(row.fields) as FormField[];
  return serialize(FormOut, { ...row, fields, isActive: row.isActive === 1, url, html: toHtml(row, fields, url) });
}

/** Returns the HTML of a form to paste into another page. The field for programs is hidden from people and from screen readers. */
function toHtml({ text, button }: FormRow, fields: readonly FormField[], url: string): string {
  const inputs = fields.map(
    ({ name, label, required }) =>
      `  <p><label>${escapeHtml(label)} <input name="${escapeHtml(name)}" maxlength="${limits.valueCharacters}"${required ? " required" : ""}></label></p>`,
  );
  return [
    `<form method="post" action="${escapeHtml(url)}">`,
    `  <p>${escapeHtml(text)}</p>`,
    '  <p><label>Email <input type="email" name="email" maxlength="254" required></label></p>',
    ...inputs,
    `  <p style="display:none" aria-hidden="true"><input name="${HONEYPOT}" tabindex="-1" autocomplete="off"></p>`,
    `  <p><button type="submit">${escapeHtml(button)}</button></p>`,
    "</form>",
  ].join("\n");
}
