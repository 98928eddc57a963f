/** Subjects and bodies that the values of an email make personal, in either language (docs/contract/templates.md#languages). Pure. */
import type { WorkBudget } from "./liquid/meter.ts";
import { type Parts, parseLiquid } from "./liquid/text.ts";
import { type Encoding, parsePlaceholders, placeholderNames, renderPlaceholders, type Values } from "./placeholders.ts";

export const languages = ["placeholders", "liquid"] as const;
export type Language = (typeof languages)[number];

/** Values of one email, and its time in ms since 1970. */
export interface Rendering {
  values: Values;
  now: number;
  /** Its work is taken from this. */
  budget?: WorkBudget | undefined;
}

/** A text that was parsed, to render it many times. */
export interface PersonalText {
  /** Names of the values that it reads, each once, in order of appearance. */
  names: readonly string[];
  /** As `names`, with the path inside of a value where there is one: `order.total`. */
  paths: readonly string[];
  /** Returns the text of one email; null when it has more than `maxLength` UTF-16 units. Throws LiquidTextError. */
  render(rendering: Rendering, maxLength: number): string | null;
}

/** Parses a text. `parts`: templates that a Liquid text may render, by name. Throws LiquidTextError, for a Liquid text only. */
export function parsePersonalText(
  language: Language,
  text: string,
  encoding: Encoding,
  parts: Parts = {},
): PersonalText {
  return language === "liquid" ? liquidText(text, encoding, parts) : placeholderText(text, encoding);
}

function placeholderText(text: string, encoding: Encoding): PersonalText {
  const parsed = parsePlaceholders(text);
  const names = placeholderNames(parsed);
  return {
    names,
    paths: names,
    render: ({ values }, maxLength) => renderPlaceholders(parsed, values, encoding, maxLength),
  };
}

function liquidText(text: string, encoding: Encoding, parts: Parts): PersonalText {
  const parsed = parseLiquid(text, encoding, parts);
  const paths = parsed.paths();
  return {
    names: [...new Set(paths.flatMap(([name]) => name ?? []))],
    paths: [...new Set(paths.map((path) => path.join(".")))],
    render({ values, now, budget }, maxLength) {
      const rendered = parsed.render(values, now, budget);
      return rendered.length > maxLength ? null : rendered;
    },
  };
}
