import { parsePlaceholders, placeholderNames } from "../../lib/placeholders.ts";
import type { TemplateOut } from "../../sending/templates/index.ts";

/** Prefix of the fields that hold the value of a placeholder, before its name. */
export const SAMPLE = "v.";
/** Placeholders that a page has a field for; further ones keep their names as values in a preview. */
const MAX_FIELDS = 50;

/** Values of placeholders by their names. */
export type Samples = ReadonlyMap<string, string>;

/** Returns the values of placeholders among the fields of a form or the parameters of a URL. */
export function readSamples(fields: URLSearchParams): Samples {
  const values = [...fields].filter(([name, value]) => name.startsWith(SAMPLE) && value !== "");
  return new Map(values.slice(0, MAX_FIELDS).map(([name, value]) => [name.slice(SAMPLE.length), value]));
}

/** Returns the value of each placeholder: its sample, or its name. */
export const toVariables = (names: readonly string[], samples: Samples) =>
  Object.fromEntries(names.map((name) => [name, samples.get(name) ?? name]));

/** Returns the placeholders of a template that a page has a field for: those of its bodies, then those of its subject. */
export function namesOf({ variables, subject }: Pick<TemplateOut, "variables" | "subject">): string[] {
  const names = [...variables, ...placeholderNames(parsePlaceholders(subject ?? ""))];
  return [...new Set(names)].slice(0, MAX_FIELDS);
}
