import { parseSpf } from "../../mail/spf/parse.ts";
import { listOf } from "./finding.ts";

/** Mechanisms and the modifier that ask DNS, of which ten are allowed (RFC 7208 4.6.4). */
const ASKS_DNS = ["include", "a", "mx", "ptr", "exists", "redirect"];
export const MAX_LOOKUPS = 10;

/** Spellings that people and forms write, and what they mean. */
const SPELLINGS: readonly (readonly [RegExp, string])[] = [
  [/^([+?~-]?)ip(?:v4)?[:=](?=\d+\.)/i, "$1ip4:"],
  [/^([+?~-]?)ip(?:v6)?[:=](?=[\da-f]*:)/i, "$1ip6:"],
  [/^([+?~-]?)(include|exists|a|mx|ip4|ip6)=/i, "$1$2:"],
  [/^redirect:/i, "redirect="],
  [/^v=spf1?/i, ""],
];

/**
 * Returns, in quotes, the record that permits a service (`include`) and all that these records or texts do: they may be several, and
 * damaged. It is valid for our own reader (RFC 7208 4.6.1), and says which words it leaves out because nobody can read them.
 */
export function adviseSpf(texts: readonly string[], include: string): string {
  const words = texts.flatMap(wordsOf);
  const terms = words.map((word) => parseSpf(`v=spf1 ${word}`));
  const known = terms.flatMap((read) => (read.errors.length === 0 ? read.terms : []));
  const ends = known.filter(({ name }) => name === "all").map(({ text }) => text.toLowerCase());
  const redirects = known.filter(({ name }) => name === "redirect").map(({ domain }) => domain);
  // Beside `all`, or a second one, no receiver reads `redirect` (RFC 7208 6.1).
  const isRedirected = ends.length === 0 && redirects.length === 1;
  const others = known.filter(({ name, text }) => !["all", "redirect"].includes(name) && !text.endsWith(include));
  const included = isRedirected ? [] : redirects.map((domain) => `include:${domain}`);
  const end = isRedirected ? `redirect=${redirects[0]}` : ends.includes("~all") ? "~all" : (ends[0] ?? "~all");
  const record = ["v=spf1", ...new Set([include, ...others.map(({ text }) => text), ...included]), end].join(" ");
  const unread = words.filter((_, at) => (terms[at]?.errors.length ?? 0) > 0);
  const lookups = parseSpf(record).terms.filter(({ name }) => ASKS_DNS.includes(name)).length;
  return [
    `"${record}"`,
    ...(unread.length > 0 ? [`, without ${listOf(unread)}, which no receiver can read`] : []),
    ...(lookups > MAX_LOOKUPS
      ? [
          `. It causes more than ${MAX_LOOKUPS} DNS look-ups, so first remove services that no longer send for the domain`,
        ]
      : []),
  ].join("");
}

/** Returns the words of a record after its version, without the signs of text processors and forms, in their usual spelling. */
function wordsOf(text: string): string[] {
  return text
    .replace(/["'\\;,“”„‘’«»\u200b\ufeff]/g, " ")
    .replace(/\u2013|\u2014/g, "-")
    .replace(/([a-z][:=])\s+(?=\S)/gi, "$1")
    .trim()
    .split(/\s+/)
    .map((word) => SPELLINGS.reduce((spelled, [wrong, right]) => spelled.replace(wrong, right), word))
    .filter((word) => word !== "" && !/^(?:spf2\.0|v=|TXT$)/i.test(word));
}
