import { inALabels } from "../../../lib/address-domain.ts";
import { foldCase, lowerCase } from "../../../lib/addresses.ts";
import type { Status } from "../rules.ts";
import { containsAll, delimitedTag, isIndexed, type SearchColumn, scopeOf } from "./fts-query.ts";
import type { SearchQuery } from "./parse-query.ts";

/** A condition on a row of `emails e`, and the values of its `?` placeholders in order. */
export interface Condition {
  sql: string;
  values: unknown[];
}

/** A search, split into the query of the index and the conditions that rows must meet. */
export interface SearchPlan {
  /** Operand of MATCH; null when the index cannot find any of the tokens. */
  match: string | null;
  /** Conditions on rows that the index returned. */
  indexConditions: Condition[];
  /** Conditions on rows that are scanned without the index. */
  scanConditions: Condition[];
  /** The status to filter by; null for every status. */
  status: Status | null;
}

interface SearchField {
  columns: SearchColumn[];
  /** SQL that is true when the field contains `f.value`, one spelling of a text. */
  condition: string;
  /** The same for the canonical forms of the addresses. */
  keyCondition?: string;
}

const contains = (text: string) => `instr(lower(${text}), lower(f.value)) > 0`;
const anyRecipient = (text: string) => `EXISTS (SELECT 1 FROM json_each(e.recipients) r WHERE ${contains(text)})`;
// The canonical forms of an address that lower() of SQLite does not return. Only texts with such letters need them.
const RECIPIENT_KEY = "EXISTS (SELECT 1 FROM json_each(e.recipients) r WHERE instr(r.value->>'key', f.value) > 0)";
const SENDER_KEY = "e.mailbox_id IN (SELECT value FROM json_each(q.value->'mailboxes'))";

const fields: Readonly<Record<"to" | "from" | "domain" | "words", SearchField>> = {
  to: { columns: ["recipients"], condition: anyRecipient("r.value->>'email'"), keyCondition: RECIPIENT_KEY },
  from: { columns: ["sender"], condition: contains("e.from_email"), keyCondition: SENDER_KEY },
  domain: { columns: ["sender"], condition: contains("substr(e.from_email, instr(e.from_email, '@') + 1)") },
  words: {
    columns: ["sender", "subject", "recipients"],
    condition: `(${contains("e.from_email || ' ' || coalesce(e.from_name, '')")} OR ${contains("e.subject")}
      OR ${anyRecipient("r.value->>'email' || ' ' || coalesce(r.value->>'name', '')")})`,
    keyCondition: `${RECIPIENT_KEY} OR ${SENDER_KEY}`,
  },
};

/**
 * Plans a search in one workspace. SQLite folds the case of ASCII letters only; the index folds all letters. A text with
 * other letters therefore gets no condition on rows that the index returned. Scanned rows are compared with the text as
 * written, in lower case and in upper case, and canonical addresses with the text in canonical form. `mailboxesOf` has
 * the ids of mailboxes by a text that their canonical address contains, for texts with letters outside ASCII.
 */
export function planSearch(
  workspace: number,
  query: SearchQuery,
  status: Status | null,
  mailboxesOf: ReadonlyMap<string, readonly string[]> = new Map(),
): SearchPlan {
  const matches: string[] = [];
  const [indexConditions, scanConditions]: [Condition[], Condition[]] = [[], []];
  for (const field of ["to", "from", "domain", "words"] as const) {
    const texts = [...new Set(query[field])];
    matches.push(...texts.filter(isIndexed).map((text) => matchAnySpelling(fields[field].columns, text)));
    scanConditions.push(...containsEach(field, texts, mailboxesOf));
    indexConditions.push(
      ...containsEach(
        field,
        texts.filter((text) => isAscii(text) || !isIndexed(text)),
        mailboxesOf,
      ),
    );
  }
  const tags = [...new Set(query.tag)];
  matches.push(...tags.map((tag) => containsAll(["tags"], delimitedTag(tag))));
  const tagConditions = tags.length > 0 ? [{ sql: ALL_TAGS, values: [JSON.stringify(tags)] }] : [];
  const match = matches.length > 0 ? [...matches, containsAll(["scope"], scopeOf(workspace))].join(" AND ") : null;
  return {
    match,
    indexConditions: [...indexConditions, ...tagConditions],
    scanConditions: [...scanConditions, ...tagConditions],
    status,
  };
}

export const isAscii = (text: string) => /^[\x00-\x7f]*$/.test(text);

const ALL_TAGS = `NOT EXISTS (SELECT 1 FROM json_each(?) q WHERE NOT EXISTS (
  SELECT 1 FROM json_each(e.tags) t WHERE t.value = q.value))`;

/** Returns the condition that a field contains each text in any spelling. It binds one parameter for any number of texts. */
function containsEach(
  field: keyof typeof fields,
  texts: readonly string[],
  mailboxesOf: ReadonlyMap<string, readonly string[]>,
): Condition[] {
  if (texts.length === 0) return [];
  const { condition, keyCondition } = fields[field];
  const comparesKeys = keyCondition !== undefined && !texts.every(isAscii);
  const sql = `NOT EXISTS (SELECT 1 FROM json_each(?) q WHERE NOT EXISTS (
    SELECT 1 FROM json_each(q.value->'spellings') f WHERE ${comparesKeys ? `${condition} OR ${keyCondition}` : condition}))`;
  const terms = texts.map((text) => ({ spellings: spellingsOf(text), mailboxes: mailboxesOf.get(text) ?? [] }));
  return [{ sql, values: [JSON.stringify(terms)] }];
}

/**
 * Returns the spellings that a scanned row is compared with: canonical, without case, as written, in lower and in upper case, and as the
 * labels of a domain that addresses are stored with.
 */
function spellingsOf(text: string): string[] {
  if (isAscii(text)) return [text];
  const cases = [lowerCase(text), foldCase(text), text, text.toLowerCase(), text.toUpperCase()];
  return [...new Set([...cases, inALabels(text) ?? text])];
}

/** Returns the FTS5 condition for a text as written, in canonical form (lower case of `İ` is two characters) or in A-labels. */
function matchAnySpelling(columns: readonly SearchColumn[], text: string): string {
  const spellings = isAscii(text) ? [text] : [...new Set([text, lowerCase(text), inALabels(text) ?? text])];
  return `(${spellings.map((spelling) => containsAll(columns, spelling)).join(" OR ")})`;
}
