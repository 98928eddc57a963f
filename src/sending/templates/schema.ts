import * as z from "zod";
import { utf8Length } from "../../lib/bytes.ts";
import { objectField } from "../../lib/object-field.ts";
import { languages } from "../../lib/personal-text.ts";
import { parsePlaceholders, placeholderNames } from "../../lib/placeholders.ts";
import { named, serialize, timestamp } from "../../lib/serialize.ts";
import { lineField } from "../../lib/text-fields.ts";
import type { TemplateRow } from "./queries.ts";
import { BLOCKS_BYTES, NAME_CHARACTERS, TEMPLATE_BYTES, VARIABLES_BYTES } from "./rules.ts";

/** Request and response schemas of the templates API. */

const SUBJECT_BYTES = 998;

const Name = lineField("name", NAME_CHARACTERS);

const Subject = z
  .string()
  .refine((subject) => !/\p{Cc}/u.test(subject), "subject must not contain CR, LF or other control characters")
  .refine((subject) => utf8Length(subject) <= SUBJECT_BYTES, `subject must have at most ${SUBJECT_BYTES} bytes`)
  .nullish()
  .meta({ maxLength: SUBJECT_BYTES, pattern: "^[^\\u0000-\\u001f\\u007f]*$" })
  .describe(`At most ${SUBJECT_BYTES} bytes. May contain placeholders such as {{name}}.`);

const BODY = `The whole template has at most ${TEMPLATE_BYTES.toLocaleString("en")} bytes as JSON.`;
const Body = z.string().nullish().meta({ maxLength: TEMPLATE_BYTES });

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Data of an editor, beside the HTML and text that it makes. */
export const Blocks = objectField("blocks_json", BLOCKS_BYTES)
  .nullish()
  .meta({
    type: ["object", "null"],
    anyOf: undefined,
    additionalProperties: true,
    description: `Data of an editor, stored as it is: at most ${BLOCKS_BYTES} bytes as JSON, numbers up to 2^53 - 1.`,
  });

const LanguageIn = z
  .enum(languages)
  .describe("Language of subject, html_body and text_body (docs/contract/templates.md#languages).");

export const TemplateIn = z
  .object({
    name: Name,
    language: LanguageIn.optional().meta({ default: "placeholders" }),
    subject: Subject,
    html_body: Body.describe(`HTML with placeholders such as {{name}}. ${BODY}`),
    text_body: Body.describe(`Plain text with placeholders. ${BODY}`),
    blocks_json: Blocks,
  })
  .meta({
    ref: "TemplateCreate",
    // `example`, not `examples`: zod drops those of a schema with a transform.
    example: {
      name: "Receipt",
      subject: "Your receipt, {{name}}",
      html_body: "<p>Thank you, {{name}}. Your order is {{order}}.</p>",
      text_body: "Thank you, {{name}}. Your order is {{order}}.",
    },
  });
export type TemplateIn = z.output<typeof TemplateIn>;

export const TemplatePatch = TemplateIn.partial().meta({
  ref: "TemplateUpdate",
  example: { subject: "Your order {{order}}" },
});
export type TemplatePatch = z.output<typeof TemplatePatch>;

/** Values of placeholders in a preview or a send. A Map, because an object drops a member named `__proto__`. */
export const Variables = z
  .custom<Record<string, unknown>>(isRecord, "variables must be an object")
  .superRefine((variables, context) => {
    if (utf8Length(JSON.stringify(variables)) > VARIABLES_BYTES)
      context.addIssue({ code: "custom", message: `variables have more than ${VARIABLES_BYTES} bytes as JSON` });
  })
  .nullish()
  .meta({
    type: ["object", "null"],
    anyOf: undefined,
    additionalProperties: true,
    description: `Values by name: at most ${VARIABLES_BYTES} bytes as JSON. Lists and objects are for Liquid alone.`,
  });

export const PreviewIn = z
  .object({ variables: Variables })
  .meta(named("TemplatePreviewRequest", { variables: { name: "Ada" } }));
export type PreviewIn = z.output<typeof PreviewIn>;

export const PreviewOut = z
  .object({
    subject: z.string().nullable(),
    html_body: z.string().nullable(),
    text_body: z.string().nullable(),
    missing: z.array(z.string()).describe("Placeholders without a value. They render as an empty string."),
  })
  .meta(
    named("TemplatePreview", {
      subject: "Your receipt, Ada",
      html_body: "<p>Thank you, Ada. Your order is .</p>",
      text_body: "Thank you, Ada. Your order is .",
      missing: ["order"],
    }),
  );
export type PreviewOut = z.output<typeof PreviewOut>;

export const TemplateOut = z
  .object({
    id: z.uuid(),
    name: z.string(),
    language: z.enum(languages),
    subject: z.string().nullable(),
    html_body: z.string().nullable(),
    text_body: z.string().nullable(),
    blocks_json: z.record(z.string(), z.unknown()).nullable(),
    variables: z
      .array(z.string())
      .describe(
        "Placeholders of html_body and text_body, in order of appearance. Of a Liquid template: the values that it and its parts read, such as order.total.",
      ),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta(
    named("Template", {
      id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a10",
      name: "Receipt",
      language: "placeholders",
      subject: "Your receipt, {{name}}",
      html_body: "<p>Thank you, {{name}}. Your order is {{order}}.</p>",
      text_body: "Thank you, {{name}}. Your order is {{order}}.",
      blocks_json: null,
      variables: ["name", "order"],
      created_at: "2026-11-21T14:00:00.000Z",
      updated_at: "2026-11-21T14:00:00.000Z",
    }),
  );
export type TemplateOut = z.output<typeof TemplateOut>;

/** Serializes a template. The names of placeholders are extracted from the bodies here, so that they always agree. */
export function toTemplate(row: Omit<TemplateRow, "size" | "contentKey">): TemplateOut {
  const texts = [row.htmlBody, row.textBody].map((text) => parsePlaceholders(text ?? ""));
  return serialize(TemplateOut, { ...row, variables: row.variables ?? placeholderNames(...texts) });
}
