import { binaryStringToBytes } from "../../lib/bytes.ts";
import { dayOf } from "../../lib/time.ts";
import { readWrittenDay } from "../../mail/dates/read-date.ts";
import { headerOf } from "../../mail/imap/header-fields.ts";
import { allKeys, type SearchKey } from "../../mail/imap/search-keys.ts";
import { decodeField } from "../../mail/messages/parse.ts";
import { readBlock } from "../../mail/texts/fields.ts";
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
/** Comparisons that take as long as to fold a character, or to find the field that it is in. */
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
  const keys = allKeys(key);
  const needs = (...kinds: SearchKey["key"][]) => (keys.some((one) => kinds.includes(one.key)) ? 1 : 0);
  const [header, body] = [needs("header", "text", "sent"), needs("body", "text")];
  const rows =
    header + body > 0 ? sql.exec(WITH_TEXTS, folder.id, after, header, body) : sql.exec(PLAIN, folder.id, after);
  const uids: number[] = [];
  const comparisons = keys.reduce((sum, one) => sum + comparisonsOf(one), 0);
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

/** Returns the comparisons that a condition makes for each character of a message. */
const comparisonsOf = (key: SearchKey): number =>
  "value" in key ? FOLDING + key.value.length : key.key === "sent" ? FOLDING : 1;

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
      return isWhen(row.received_at, key);
    case "sent":
      return isWhen(readWrittenDay(valuesOf(row, "date")[0] ?? "") ?? row.date, key);
    case "header":
      return hasHeader(row, key.name, key.value);
    case "body":
      return contains(fromSearchable(row.body ?? ""), key.value);
    case "text":
      return [decodeField(row.header ?? ""), fromSearchable(row.body ?? ""), ...recordOf(row).values()].some((text) =>
        contains(text, key.value),
      );
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

function isWhen(time: number, { when, date }: { when: "before" | "on" | "since"; date: number }): boolean {
  if (when === "on") return dayOf(time) === dayOf(date);
  return time < date === (when === "before");
}

const contains = (text: string, part: string) => text.toLowerCase().includes(part.toLowerCase());

const people = (list: readonly Person[]) => list.map(({ name, email }) => `${name ?? ""} <${email}>`).join(", ");

/** Returns the fields that the record of a message has decoded. */
function recordOf({ recipients, subject, from_name: name, from_email: email }: Row): Map<string, string> {
  const { to, cc, bcc } = JSON.parse(recipients) as Record<"to" | "cc" | "bcc", Person[]>;
  const from = email === null ? [] : [{ name, email }];
  return new Map(Object.entries({ subject, from: people(from), to: people(to), cc: people(cc), bcc: people(bcc) }));
}

/** Unfolded values of the fields of a name, which may be several. */
function valuesOf({ header }: Row, name: string): readonly string[] {
  const fields = headerOf(header ?? "", { text: "fields", fields: [name] });
  return readBlock(binaryStringToBytes(fields)).all(name.toLowerCase());
}

/** An empty value is met by any message with the field (RFC 3501 6.4.4). The record has addresses without comments. */
function hasHeader(row: Row, name: string, value: string): boolean {
  const known = recordOf(row).get(name.toLowerCase());
  const texts = [...valuesOf(row, name).map(decodeField), ...(known ? [known] : [])];
  return texts.some((text) => contains(text, value));
}
