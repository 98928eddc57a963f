/** What the trigram index is asked, in the language of FTS5. Pure. */

/** Trigrams asked of one word: enough to tell it from any other; the row itself is checked in full. */
const MAX_TRIGRAMS = 24;
/** The first private-use character and how many are taken from there; U+E000 itself stands around tags. */
const FIRST = 0xe001;
const RADIX = 6000;
const TAG_EDGE = "\ue000";

export type SearchColumn = "sender" | "subject" | "recipients" | "tags" | "scope";

/** Whether the index can look for a text: it knows nothing shorter than a trigram. */
export function isIndexed(text: string): boolean {
  return Array.from(text).length >= 3;
}

/** The workspace as one trigram, as INDEX_EMAILS writes it. */
export function scopeOf(workspace: number): string {
  const digits = [workspace % RADIX, Math.floor(workspace / RADIX) % RADIX, Math.floor(workspace / RADIX / RADIX)];
  return digits.map((digit) => String.fromCharCode(FIRST + digit)).join("");
}

/** SQL that makes the same of a column. */
export const SCOPE_SQL = `char(${FIRST} + workspace % ${RADIX}, ${FIRST} + workspace / ${RADIX} % ${RADIX}, ${FIRST} + workspace / ${RADIX * RADIX})`;
/** SQL of a tag between its edges, for a row of json_each. */
export const TAG_SQL = `char(${0xe000}) || value || char(${0xe000})`;

/** A tag as the index has it: also one of a single character is a trigram then. */
export const taggedAs = (tag: string) => `${TAG_EDGE}${tag}${TAG_EDGE}`;

/** The condition that each trigram of a text is in these columns. */
export function containsAll(columns: readonly SearchColumn[], text: string): string {
  const characters = Array.from(text);
  const trigrams = characters.slice(2).map((last, index) => `${characters[index]}${characters[index + 1]}${last}`);
  const wanted = [...new Set(trigrams)].slice(0, MAX_TRIGRAMS).map((trigram) => `"${trigram.replaceAll('"', '""')}"`);
  return `{${columns.join(" ")}} : (${wanted.join(" AND ")})`;
}
