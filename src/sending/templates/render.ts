import {
  type Encoding,
  parsePlaceholders,
  placeholderNames,
  renderPlaceholders,
  type Values,
} from "../../lib/placeholders.ts";
import { RENDERED_BYTES } from "./rules.ts";

/** Subject and bodies with placeholders. */
export interface TemplateContent {
  subject: string | null;
  htmlBody: string | null;
  textBody: string | null;
}

/** Rendered content. `missing` lists the placeholders without a value, which render as an empty string. */
export interface RenderedContent extends TemplateContent {
  missing: string[];
}

/**
 * Renders a template (docs/contract/templates.md#placeholders). Returns null when subject, html or text would be longer than an
 * email may be. Pure.
 */
export function renderTemplate(template: TemplateContent, values: Values): RenderedContent | null {
  const parsed = {
    subject: parseOrNull(template.subject),
    html: parseOrNull(template.htmlBody),
    text: parseOrNull(template.textBody),
  };
  const render = (text: typeof parsed.subject, encoding: Encoding) =>
    text && renderPlaceholders(text, values, encoding, RENDERED_BYTES);
  const subject = render(parsed.subject, "header");
  const htmlBody = render(parsed.html, "html");
  const textBody = render(parsed.text, "text");
  const isTooLong =
    (parsed.subject && subject === null) || (parsed.html && htmlBody === null) || (parsed.text && textBody === null);
  if (isTooLong) return null;
  const names = placeholderNames(parsed.subject, parsed.html, parsed.text);
  return { subject, htmlBody, textBody, missing: names.filter((name) => !Object.hasOwn(values, name)) };
}

function parseOrNull(text: string | null) {
  return text === null ? null : parsePlaceholders(text);
}
