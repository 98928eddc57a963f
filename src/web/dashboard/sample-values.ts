import type { CallerCtx } from "../../access/caller.ts";
import { LiquidTextError, parseLiquid } from "../../lib/liquid/text.ts";
import { type Language, parsePersonalText } from "../../lib/personal-text.ts";
import {
  type Encoding,
  escapeHtml,
  parsePlaceholders,
  placeholderNames,
  textAsHtml,
  type Values,
} from "../../lib/placeholders.ts";
import { readParts, type TemplateOut } from "../../sending/templates/index.ts";

/** Prefix of the fields that hold a sample value, before its name. */
export const SAMPLE = "v.";
/** Values that a page has a field for; further ones are their names in a preview. */
const MAX_FIELDS = 50;
/** UTF-16 units of HTML that a preview shows. */
const MAX_PREVIEW = 5_000_000;

/** Sample values by their names. */
export type Samples = ReadonlyMap<string, string>;

/** Returns the sample values among the fields of a form or the parameters of a URL. */
export function readSamples(fields: URLSearchParams): Samples {
  const values = [...fields].filter(([name, value]) => name.startsWith(SAMPLE) && value !== "");
  return new Map(values.slice(0, MAX_FIELDS).map(([name, value]) => [name.slice(SAMPLE.length), value]));
}

/** Returns the value of each name: its sample, or the name itself. The name of a Liquid value is a path: `order.total`. */
export function toVariables(language: Language, names: readonly string[], samples: Samples): Record<string, unknown> {
  const values = names.map((name) => ({
    path: language === "liquid" ? name.split(".") : [name],
    value: samples.get(name) ?? name,
  }));
  return nest(values) as Record<string, unknown>;
}

/** Returns the object that has the values at their paths. Of a value and a part of it the part wins. */
function nest(values: readonly { path: readonly string[]; value: string }[]): unknown {
  const deeper = values.filter(({ path }) => path.length > 0);
  if (deeper.length === 0 && values[0]) return values[0].value;
  const members = Map.groupBy(deeper, ({ path: [first = ""] }) => first);
  return Object.fromEntries(
    [...members].map(([name, found]) => [name, nest(found.map(({ path, value }) => ({ path: path.slice(1), value })))]),
  );
}

/** Returns the names that a page has a field for: those of the bodies of a template, then those of its subject. */
export function namesOf({
  language,
  variables,
  subject,
}: Pick<TemplateOut, "language" | "variables" | "subject">): string[] {
  const ofSubject = language === "placeholders" ? placeholderNames(parsePlaceholders(subject ?? "")) : [];
  return [...new Set([...variables, ...ofSubject])].slice(0, MAX_FIELDS);
}

/** A content whose preview is shown: its HTML, or its text when it has none. */
export interface PreviewedContent {
  language: Language;
  html: string | null;
  text: string | null;
}

/** Returns the HTML of a content with sample values, those of `contact`, or else their names. At most one D1 call. */
export async function previewHtml(
  caller: CallerCtx,
  { language, html, text }: PreviewedContent,
  samples: Samples,
  contact: Values | null = null,
): Promise<string> {
  try {
    const source = html ?? text ?? "";
    const encoding: Encoding = html === null ? "text" : "html";
    const names = language === "liquid" ? parseLiquid(source, encoding).parts : [];
    const parsed = parsePersonalText(
      language,
      source,
      encoding,
      (await readParts(caller, caller.workspace.number, names))[encoding],
    );
    const given = parsed.paths.filter((path) => contact === null || samples.has(path));
    const rendering = { values: { ...contact, ...toVariables(language, given, samples) }, now: caller.now() };
    const rendered = parsed.render(rendering, MAX_PREVIEW);
    if (rendered === null) return "<p>The content is too long to be shown.</p>";
    return html === null ? textAsHtml(rendered) : rendered;
  } catch (error) {
    if (error instanceof LiquidTextError) return `<p>${escapeHtml(error.message)}</p>`;
    throw error;
  }
}
