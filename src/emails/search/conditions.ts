import type { Status } from "../rules.ts";
import { containsAll, isIndexed, type SearchColumn, scopeOf, taggedAs } from "./match.ts";
import type { SearchQuery } from "./query.ts";

/** A condition on a row of `emails e`, with its values in the order of its question marks. */
export interface Condition {
  sql: string;
  values: unknown[];
}

/** What a search asks, taken apart into what the index can find and what a row has to hold. */
export interface SearchPlan {
  /** For MATCH; null when the index cannot help. */
  match: string | null;
  /** What a row that the index found must hold besides. */
  indexed: Condition[];
  /** What a row must hold that is looked at without the index. */
  walked: Condition[];
  /** The one status that is asked for, if one is. */
  status: Status | null;
}

interface Place {
  columns: SearchColumn[];
  /** What has to hold for `f.value`, one of the forms of a text. */
  holds: string;
}

const within = (text: string) => `instr(lower(${text}), lower(f.value)) > 0`;
const ofRecipient = (text: string) => `EXISTS (SELECT 1 FROM json_each(e.recipients) r WHERE ${within(text)})`;

const places: Readonly<Record<"to" | "from" | "domain" | "words", Place>> = {
  to: { columns: ["recipients"], holds: ofRecipient("r.value->>'email'") },
  from: { columns: ["sender"], holds: within("e.from_email") },
  domain: { columns: ["sender"], holds: within("substr(e.from_email, instr(e.from_email, '@') + 1)") },
  words: {
    columns: ["sender", "subject", "recipients"],
    holds: `(${within("e.from_email || ' ' || coalesce(e.from_name, '')")} OR ${within("e.subject")}
      OR ${ofRecipient("r.value->>'email' || ' ' || coalesce(r.value->>'name', '')")})`,
  },
};

/**
 * Plans a search in one workspace. SQLite folds the case of ASCII only, the index that of all letters. So a text with
 * other letters that the index has found is taken at its word, and without the index it is looked for as it is
 * written, in small and in capital letters.
 */
export function planSearch(workspace: number, query: SearchQuery, status: Status | null): SearchPlan {
  const found: string[] = [];
  const [indexed, walked]: [Condition[], Condition[]] = [[], []];
  for (const place of ["to", "from", "domain", "words"] as const) {
    const texts = [...new Set(query[place])];
    found.push(...texts.filter(isIndexed).map((text) => containsAll(places[place].columns, text)));
    walked.push(...all(place, texts));
    indexed.push(
      ...all(
        place,
        texts.filter((text) => isAscii(text) || !isIndexed(text)),
      ),
    );
  }
  const tags = [...new Set(query.tag)];
  found.push(...tags.map((tag) => containsAll(["tags"], taggedAs(tag))));
  const tagged = tags.length > 0 ? [{ sql: ALL_TAGS, values: [JSON.stringify(tags)] }] : [];
  const match = found.length > 0 ? [...found, containsAll(["scope"], scopeOf(workspace))].join(" AND ") : null;
  return { match, indexed: [...indexed, ...tagged], walked: [...walked, ...tagged], status };
}

const isAscii = (text: string) => /^[\x00-\x7f]*$/.test(text);

const ALL_TAGS = `NOT EXISTS (SELECT 1 FROM json_each(?) q WHERE NOT EXISTS (
  SELECT 1 FROM json_each(e.tags) t WHERE t.value = q.value))`;

/** That each of these texts holds in a place, in any of its forms: one parameter, however many they are. */
function all(place: keyof typeof places, texts: readonly string[]): Condition[] {
  if (texts.length === 0) return [];
  const sql = `NOT EXISTS (SELECT 1 FROM json_each(?) q WHERE NOT EXISTS (
    SELECT 1 FROM json_each(q.value) f WHERE ${places[place].holds}))`;
  const forms = texts.map((text) => (isAscii(text) ? [text] : [text, text.toLowerCase(), text.toUpperCase()]));
  return [{ sql, values: [JSON.stringify(forms)] }];
}
