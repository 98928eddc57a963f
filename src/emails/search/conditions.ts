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

const RECIPIENT =
  "EXISTS (SELECT 1 FROM json_each(e.recipients) r WHERE instr(lower(r.value->>'email'), lower(?)) > 0)";
const RECIPIENT_OR_NAME =
  "EXISTS (SELECT 1 FROM json_each(e.recipients) r WHERE instr(lower(r.value->>'email' || ' ' || coalesce(r.value->>'name', '')), lower(?)) > 0)";

interface Place {
  columns: SearchColumn[];
  /** One question mark for each time the value is asked for. */
  sql: string;
}

const places: Readonly<Record<"to" | "from" | "domain" | "words", Place>> = {
  to: { columns: ["recipients"], sql: RECIPIENT },
  from: { columns: ["sender"], sql: "instr(lower(e.from_email), lower(?)) > 0" },
  domain: {
    columns: ["sender"],
    sql: "instr(lower(substr(e.from_email, instr(e.from_email, '@') + 1)), lower(?)) > 0",
  },
  words: {
    columns: ["sender", "subject", "recipients"],
    sql: `(instr(lower(e.from_email || ' ' || coalesce(e.from_name, '')), lower(?)) > 0
      OR instr(lower(e.subject), lower(?)) > 0 OR ${RECIPIENT_OR_NAME})`,
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
    for (const text of query[place]) {
      const isAscii = /^[\x00-\x7f]*$/.test(text);
      const holds = isAscii ? conditionOf(place, text) : inAnyCase(place, text);
      walked.push(holds);
      if (isIndexed(text)) found.push(containsAll(places[place].columns, text));
      if (isAscii || !isIndexed(text)) indexed.push(holds);
    }
  }
  for (const tag of query.tag) {
    const holds = { sql: "EXISTS (SELECT 1 FROM json_each(e.tags) t WHERE t.value = ?)", values: [tag] };
    found.push(containsAll(["tags"], taggedAs(tag)));
    indexed.push(holds);
    walked.push(holds);
  }
  const match = found.length > 0 ? [...found, containsAll(["scope"], scopeOf(workspace))].join(" AND ") : null;
  return { match, indexed, walked, status };
}

function conditionOf(place: keyof typeof places, text: string): Condition {
  const { sql } = places[place];
  return { sql, values: Array.from({ length: sql.split("?").length - 1 }, () => text) };
}

function inAnyCase(place: keyof typeof places, text: string): Condition {
  const forms = [...new Set([text, text.toLowerCase(), text.toUpperCase()])].map((form) => conditionOf(place, form));
  return { sql: `(${forms.map(({ sql }) => sql).join(" OR ")})`, values: forms.flatMap(({ values }) => values) };
}
