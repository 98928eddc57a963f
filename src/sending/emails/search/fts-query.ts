/** Builds FTS5 queries for the trigram index email_search. Pure. */

/** Trigrams of one text in a query. More add cost and no precision, since the row itself is compared as well. */
const MAX_TRIGRAMS = 24;
/** First private-use character of a workspace trigram, and the number of characters used. U+E000 delimits tags. */
const FIRST_CODE_POINT = 0xe001;
const RADIX = 6000;
const TAG_DELIMITER = "\ue000";

export type SearchColumn = "sender" | "subject" | "recipients" | "tags" | "scope";

/** Returns whether the index can find a text: it needs three characters. */
export const isIndexed = (text: string): boolean => Array.from(text).length >= 3;

/** Returns the workspace number as one trigram, equal to SCOPE_SQL. */
export function scopeOf(workspace: number): string {
  const digits = [workspace % RADIX, Math.floor(workspace / RADIX) % RADIX, Math.floor(workspace / RADIX / RADIX)];
  return digits.map((digit) => String.fromCharCode(FIRST_CODE_POINT + digit)).join("");
}

/** SQL of the trigram of the column `workspace`. */
export const SCOPE_SQL = `char(${FIRST_CODE_POINT} + workspace % ${RADIX}, ${FIRST_CODE_POINT} + workspace / ${RADIX} % ${RADIX}, ${FIRST_CODE_POINT} + workspace / ${RADIX * RADIX})`;
/** SQL of a delimited tag, for a row of json_each. */
export const TAG_SQL = `char(${0xe000}) || value || char(${0xe000})`;

/** Returns a tag as the index stores it. The delimiters make a trigram of a tag of one character too. */
export const delimitedTag = (tag: string) => `${TAG_DELIMITER}${tag}${TAG_DELIMITER}`;

/** Returns the FTS5 condition that these columns contain every trigram of a text. */
export function containsAll(columns: readonly SearchColumn[], text: string): string {
  const characters = Array.from(text);
  const trigrams = characters.slice(2).map((last, index) => `${characters[index]}${characters[index + 1]}${last}`);
  const phrases = [...new Set(trigrams)].slice(0, MAX_TRIGRAMS).map((trigram) => `"${trigram.replaceAll('"', '""')}"`);
  return `{${columns.join(" ")}} : (${phrases.join(" AND ")})`;
}
