import { dayOf } from "../../mail/imap/dates.ts";
import { headerOf } from "../../mail/imap/header-fields.ts";
import type { SearchKey } from "../../mail/imap/search-keys.ts";
import { decodeField } from "../../mail/messages/parse.ts";
import { flagColumns, toKeywords } from "./flags.ts";
import { findFolder } from "./folders.ts";
import type { ItemRow } from "./message-rows.ts";
import { fromSearchable } from "./rules.ts";
import type { Sql } from "./sql.ts";
import type { Person } from "./types.ts";

/** Messages that one call compares: mail of other clients waits meanwhile. */
const COMPARED = 1_000;
/** Comparisons of a character of a message with one of a condition that a call makes, after one message: about a second of CPU. */
const COMPARISONS = 1_500_000_000;
/** Comparisons that take as long as to fold a character. */
const FOLDING = 5;
/** Characters of the record of a message without its texts. */
const RECORD = 500;

type ItemColumn = "uid" | "date" | "size" | "from_email" | "from_name" | "subject" | "recipients";
interface Row extends Pick<ItemRow, ItemColumn>, Record<(typeof flagColumns)[number], number> {
  modseq: number;
  keywords: string;
  received_at: number;
  header: string | null;
  body: string | null;
}

const COLUMNS = `m.uid, m.modseq, m.keywords, m.date, m.received_at, m.size, m.from_email, m.from_name, m.subject, m.recipients,
  ${flagColumns.map((column) => `m.${column}`).join(", ")}`;
const OF_FOLDER = `m.folder = ?1 AND m.uid > ?2 ORDER BY m.uid LIMIT ${COMPARED + 1}`;

const PLAIN = `SELECT ${COLUMNS}, NULL AS header, NULL AS body FROM messages m WHERE ${OF_FOLDER}`;
const WITH_TEXTS = `
  SELECT ${COLUMNS}, iif(?3, s.header, NULL) AS header, iif(?4, t.body, NULL) AS body FROM messages m
    LEFT JOIN message_structures s ON s.message = m.id LEFT JOIN message_search t ON t.rowid = m.id WHERE ${OF_FOLDER}`;

/**
 * Returns the messages of a folder after a UID that meet a condition (RFC 3501 6.4.4), of the next 1,000 messages or fewer. Texts are found anywhere in
 * words, in any letter case; of a body its first 32,768 characters are known. The search goes on after the UID `next`, if any. Null when there is no such folder.
 */
export function searchByKey(
  sql: Sql,
  folderName: string,
  key: SearchKey,
  after: number,
): { uids: number[]; next: number | null } | null {
  const folder = findFolder(sql, folderName);
  if (!folder) return null;
  const needs = textsOf(key);
  const rows =
    needs.header || needs.body
      ? sql.exec(WITH_TEXTS, folder.id, after, needs.header ? 1 : 0, needs.body ? 1 : 0)
      : sql.exec(PLAIN, folder.id, after);
  const uids: number[] = [];
  const comparisons = comparisonsOf(key);
  let compared = 0;
  let made = 0;
  let last = after;
  // One by one, so that the texts are not in memory together.
  for (const row of rows as Iterable<unknown> as Iterable<Row>) {
    if (compared === COMPARED || made > COMPARISONS) return { uids, next: last };
    compared += 1;
    made += comparisons * (RECORD + (row.header?.length ?? 0) + (row.body?.length ?? 0));
    last = row.uid;
    if (meets(row, key)) uids.push(row.uid);
  }
  return { uids, next: null };
}

/** Returns which texts of messages a condition needs. */
function textsOf(key: SearchKey): { header: boolean; body: boolean } {
  if (key.key === "header") return { header: !(key.name.toLowerCase() in fields), body: false };
  if (key.key === "body") return { header: false, body: true };
  if (key.key === "text") return { header: true, body: true };
  const inner = key.key === "not" ? [key.of] : key.key === "and" || key.key === "or" ? key.keys : [];
  const needs = inner.map(textsOf);
  return { header: needs.some(({ header }) => header), body: needs.some(({ body }) => body) };
}

/** Returns the comparisons that a condition makes for each character of a message. */
function comparisonsOf(key: SearchKey): number {
  if ("value" in key) return FOLDING + key.value.length;
  const inner = key.key === "not" ? [key.of] : key.key === "and" || key.key === "or" ? key.keys : [];
  return inner.reduce((sum, one) => sum + comparisonsOf(one), 1);
}

function meets(row: Row, key: SearchKey): boolean {
  switch (key.key) {
    case "all":
      return true;
    case "none":
      return false;
    case "flag":
      return (row[key.flag.slice(1).toLowerCase() as (typeof flagColumns)[number]] === 1) === key.isSet;
    case "keyword":
      return hasKeyword(row, key.keyword) === key.isSet;
    case "larger":
      return row.size > key.bytes;
    case "smaller":
      return row.size < key.bytes;
    case "modseq":
      return row.modseq >= key.least;
    case "uids":
    case "numbers":
      return key.set.some(([from, to]) => row.uid >= from && row.uid <= to);
    case "arrived":
    case "sent":
      return isWhen(dayOf(key.key === "arrived" ? row.received_at : row.date), key);
    case "header":
      return hasHeader(row, key.name, key.value);
    case "body":
      return contains(fromSearchable(row.body ?? ""), key.value);
    case "text":
      return [
        decodeField(row.header ?? ""),
        fromSearchable(row.body ?? ""),
        ...Object.values(fields).map((read) => read(row)),
      ].some((text) => contains(text, key.value));
    case "not":
      return !meets(row, key.of);
    case "and":
      return key.keys.every((one) => meets(row, one));
    case "or":
      return key.keys.some((one) => meets(row, one));
  }
}

const hasKeyword = ({ keywords }: Row, keyword: string) =>
  toKeywords(keywords).some((name) => name.toLowerCase() === keyword.toLowerCase());

function isWhen(day: number, { when, date }: { when: "before" | "on" | "since"; date: number }): boolean {
  if (when === "before") return day < date;
  return when === "on" ? day === date : day >= date;
}

const contains = (text: string, part: string) => text.toLowerCase().includes(part.toLowerCase());

const people = (list: readonly Person[]) => list.map(({ name, email }) => `${name ?? ""} <${email}>`).join(", ");
const recipientsOf = (row: Row) => JSON.parse(row.recipients) as Record<"to" | "cc" | "bcc", Person[]>;

/** Fields that the record of a message has decoded. */
const fields: Readonly<Record<string, (row: Row) => string>> = {
  from: ({ from_name, from_email }) => (from_email === null ? "" : `${from_name ?? ""} <${from_email}>`),
  to: (row) => people(recipientsOf(row).to),
  cc: (row) => people(recipientsOf(row).cc),
  bcc: (row) => people(recipientsOf(row).bcc),
  subject: ({ subject }) => subject,
};

/** An empty value is met by any message with the field (RFC 3501 6.4.4). */
function hasHeader(row: Row, name: string, value: string): boolean {
  const known = fields[name.toLowerCase()];
  if (known) {
    const text = known(row);
    return text !== "" && contains(text, value);
  }
  const field = headerOf(row.header ?? "", { text: "fields", fields: [name] }).trimEnd();
  return field !== "" && contains(decodeField(field.slice(field.indexOf(":") + 1)), value);
}
