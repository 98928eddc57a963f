import type { Parts } from "../../lib/liquid/text.ts";
import { type Language, type PersonalText, parsePersonalText, type Rendering } from "../../lib/personal-text.ts";
import type { Encoding, Values } from "../../lib/placeholders.ts";
import { RENDERED_BYTES } from "./rules.ts";

/** Subject and bodies in one language. */
export interface TemplateContent {
  language: Language;
  subject: string | null;
  htmlBody: string | null;
  textBody: string | null;
}

/** Texts of the templates that a Liquid template renders, by name, for each of its bodies. */
export interface BodyParts {
  html: Parts;
  text: Parts;
}

export const NO_PARTS: BodyParts = { html: {}, text: {} };

/** A template that was parsed. */
export type ParsedTemplate = Readonly<Record<"subject" | "html" | "text", PersonalText | null>>;

/** Parses a template. A subject renders no parts. Throws LiquidTextError. Pure. */
export function parseTemplate(
  { language, subject, htmlBody, textBody }: TemplateContent,
  parts: BodyParts,
): ParsedTemplate {
  const parse = (text: string | null, encoding: Encoding, named: Parts) =>
    text === null ? null : parsePersonalText(language, text, encoding, named);
  return {
    subject: parse(subject, "header", {}),
    html: parse(htmlBody, "html", parts.html),
    text: parse(textBody, "text", parts.text),
  };
}

export const UNFIT_VARIABLE = "A variable must be a string, a number, a boolean or null";

/** Returns the name of the first variable that a template cannot write: a list or an object in place of a placeholder. */
export function unfitVariable(language: Language, values: Values): string | null {
  if (language === "liquid") return null;
  const found = Object.entries(values).find(([, value]) => typeof value === "object" && value !== null);
  return found?.[0] ?? null;
}

/** Rendered content. `missing` lists the values that it reads and that were not given: they render as an empty string. */
export interface RenderedContent {
  subject: string | null;
  htmlBody: string | null;
  textBody: string | null;
  missing: string[];
}

/** Renders a template (docs/contract/templates.md#languages); null when a text is too long for an email. Throws LiquidTextError. */
export function renderTemplate(parsed: ParsedTemplate, rendering: Rendering): RenderedContent | null {
  const [subject, htmlBody, textBody] = [parsed.subject, parsed.html, parsed.text].map((text) =>
    text === null ? undefined : text.render(rendering, RENDERED_BYTES),
  );
  if (subject === null || htmlBody === null || textBody === null) return null;
  const names = [parsed.subject, parsed.html, parsed.text].flatMap((text) => text?.names ?? []);
  const missing = [...new Set(names)].filter((name) => !Object.hasOwn(rendering.values, name));
  return { subject: subject ?? null, htmlBody: htmlBody ?? null, textBody: textBody ?? null, missing };
}
