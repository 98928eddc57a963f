import { parseSpf, type SpfTerm } from "../../mail/spf/parse.ts";
import type { SpfEvaluation } from "../../mail/spf/walk.ts";
import { listOf } from "./finding.ts";

/** Mechanisms and the modifier that ask DNS, of which ten are allowed (RFC 7208 4.6.4). */
const ASKS_DNS = ["include", "a", "mx", "ptr", "exists", "redirect"];
export const MAX_LOOKUPS = 10;
/** Bytes of a TXT record that large DNS providers take. */
const MAX_BYTES = 2_048;

/** Spellings that people and forms write, and what they mean. */
const SPELLINGS: readonly (readonly [RegExp, string])[] = [
  [/^v[:=]*spf1?|^=?spf1?$/i, ""],
  [/^([+?~-]?)(?:(?:ip(?:v?[46])?|a|mx|include)[:=])?(?=\d+\.\d+\.\d+\.\d+(?:\/|$))/i, "$1ip4:"],
  [/^([+?~-]?ip4:[\d.]+):\d+$/i, "$1"],
  [/^([+?~-]?)(?:(?:ip(?:v?[46])?|a|mx|include)[:=])?(?=[\da-f]*:[\da-f]*:[\da-f:.]*(?:\/|$))/i, "$1ip6:"],
  [/^([+?~-]?)ip[46]?[:=](?=[^:]*$)(?=[^:]*[g-z])/i, "$1a:"],
  [/^([+?~-]?)(include|exists|a|mx)=/i, "$1$2:"],
  [/^(redirect|exp):/i, "$1="],
  [/^([^/]*:)https?:\/\/([^/]+)\/?$/i, "$1$2"],
  [/\/0+(?=[1-9]\d*$)/, "/"],
];

/**
 * Returns, in quotes, the record that permits a service (`include`) and all that these records or texts do: they may be several, and
 * damaged. It is valid for our own reader (RFC 7208 4.6.1), and says which words it leaves out because no receiver can use them. `costs`:
 * terms of the records with the DNS look-ups that each causes; one that is not in it causes one.
 */
export function adviseSpf(texts: readonly string[], include: string, costs: SpfEvaluation["costs"] = []): string {
  const words = texts.flatMap(wordsOf).map((word) => ({ word, term: termOf(word) }));
  const terms = words.flatMap(({ term }) => term ?? []);
  const unread = words.flatMap(({ word, term }) => (term === null ? word : []));
  const record = recordOf(terms, include, !unread.some((word) => /[.:]\S/.test(word)));
  if (record.length > MAX_BYTES)
    return `"v=spf1 ${include} ~all" and the senders that are still needed. With all of them it has ${record.length} bytes, and DNS providers take ${MAX_BYTES}`;
  const left = unread.length === 0 ? "" : `, without ${listOf(unread)}, which no receiver can use`;
  const known = new Map(costs.map(({ term, lookups }) => [term.toLowerCase(), lookups]));
  const asking = parseSpf(record).terms.filter(({ name }) => ASKS_DNS.includes(name));
  const lookups = asking.reduce((sum, { text: term }) => sum + (known.get(term) ?? 1), 0);
  const limit = `It causes more than ${MAX_LOOKUPS} DNS look-ups, so first remove services that no longer send for the domain`;
  return `"${record}"${left}${lookups > MAX_LOOKUPS ? `. ${limit}` : ""}`;
}

/** Returns the term of a word, or null when no receiver can use it: RFC 7208 7.1 permits URLs and addresses as domains. */
function termOf(word: string): SpfTerm | null {
  const [term] = parseSpf(`v=spf1 ${word}`).terms;
  return term === undefined || /^[^%]*[@:/]/.test(term.domain) ? null : term;
}

function recordOf(terms: readonly SpfTerm[], include: string, isWhole: boolean): string {
  const of = (name: string) => terms.filter((term) => term.name === name);
  const ends = of("all").map(({ qualifier }) => `${qualifier}all`);
  const included = of("redirect").map(({ domain }) => `include:${domain}`);
  // Beside `all`, or a second one, no receiver reads `redirect` (RFC 7208 6.1).
  const isRedirected = ends.length === 0 && included.length === 1;
  const [explanation] = of("exp");
  const senders = terms
    .filter((term) => term === explanation || !["all", "redirect", "exp"].includes(term.name))
    .filter(({ name, domain }) => `${name}:${domain}` !== include)
    // Upper case in a macro means an escape (RFC 7208 7.3).
    .map(({ text }) => (text.includes("%") ? text : text.toLowerCase()));
  // Records that differ, and one that loses words, are to refuse no sender that it forgets.
  const isSure = isWhole && ends.every((one) => one === ends[0]) && ends[0] !== "+all";
  const all = (isSure ? ends[0] : null) ?? "~all";
  const end = isRedirected ? `redirect=${of("redirect")[0]?.domain}` : all;
  return ["v=spf1", ...new Set([include, ...senders, ...(isRedirected ? [] : included)]), end].join(" ");
}

/** Returns the words of a record after its version, without the signs of text processors and forms, in their usual spelling. */
function wordsOf(text: string): string[] {
  return text
    .replace(/[[\]\\\u00ad\u200b-\u200d\u2060\ufeff]/g, "")
    .replace(/["'<>;,“”„‘’«»`]/g, " ")
    .replace(/[\u2010-\u2015\u2212]/g, "-")
    .replace(/\b(ip(?:v?[46])?|include|exists|a|mx|redirect|exp)\s*([:=])\s*(?=[^\s+?~-][^\s:.]*[.:])/gi, "$1$2")
    .replace(/([~?+]all|(?<=all)-all)(?=\s|[+?~-]all|$)/gi, " $1 ")
    .replace(/(?<=[\da-f])\s*\/\s*(?=\d)/gi, "/")
    .split(/\s+/)
    .map((word) => SPELLINGS.reduce((spelled, [wrong, right]) => spelled.replace(wrong, right), word))
    .filter((word) => word !== "" && !/^(?:spf2\.0|v?[:=]*$|TXT$)/i.test(word));
}
