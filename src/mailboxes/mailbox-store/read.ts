import { markBidiControls } from "../../lib/text-rules.ts";
import { findFolder } from "./folders.ts";
import { limits, toMatch } from "./rules.ts";
import { all, first, type Sql } from "./sql.ts";
import type { MessageItem, MessagePage, PartPlace, Person, StoredMessage } from "./types.ts";

interface ItemRow {
  uid: number;
  folder: string;
  message_id: string | null;
  thread: string;
  from_email: string | null;
  from_name: string | null;
  recipients: string;
  subject: string;
  date: number;
  size: number;
  seen: number;
  flagged: number;
  answered: number;
  files: number;
  labels: string;
  preview: string;
}

const ITEM = `
  m.uid, f.name AS folder, m.message_id, m.thread, m.from_email, m.from_name, m.recipients, m.subject, m.date, m.size,
  m.seen, m.flagged, m.answered, m.files, m.preview,
  (SELECT json_group_array(label) FROM message_labels WHERE message = m.id) AS labels`;

// The inner query reads the index only, also for the rows that OFFSET skips.
const LIST = `
  SELECT ${ITEM} FROM (
    SELECT folder, uid FROM messages WHERE folder = ?1 AND (received_at, uid) < (?2, ?3)
     ORDER BY received_at DESC, uid DESC LIMIT ?4 OFFSET ?5) page
    JOIN messages m ON m.folder = page.folder AND m.uid = page.uid JOIN folders f ON f.id = m.folder
   ORDER BY m.received_at DESC, m.uid DESC`;

/** The range of a list to read. `before` continues after the message with this UID. */
export interface Range {
  limit: number;
  offset: number;
  before?: number | undefined;
}

/** Returns messages of a folder, newest first. Null when there is no such folder. */
export function listMessages(sql: Sql, folderName: string, { limit, offset, before }: Range): MessagePage | null {
  const folder = findFolder(sql, folderName);
  if (!folder) return null;
  const cursor = before === undefined ? null : findCursor(sql, folder.id, before);
  const from = [cursor?.received_at ?? Number.MAX_SAFE_INTEGER, before ?? Number.MAX_SAFE_INTEGER];
  const items = all<ItemRow>(sql, LIST, folder.id, ...from, limit, offset).map(toItem);
  return { items, total: folder.total };
}

const findCursor = (sql: Sql, folderId: number, uid: number) =>
  first<{ received_at: number }>(sql, "SELECT received_at FROM messages WHERE folder = ? AND uid = ?", folderId, uid);

const SEARCH = `
  SELECT ${ITEM} FROM (SELECT rowid AS id FROM message_search WHERE message_search MATCH ?1 ORDER BY rowid DESC LIMIT ?2 OFFSET ?3) page
    JOIN messages m ON m.id = page.id JOIN folders f ON f.id = m.folder ORDER BY m.id DESC`;

const COUNT =
  "SELECT count(*) AS total FROM (SELECT 1 FROM message_search WHERE message_search MATCH ?1 ORDER BY rowid DESC LIMIT ?2)";

/**
 * Returns the messages that contain every word of a text, newest first. `folderName` `*`: of all folders. The total counts
 * at most 10,000. Null when there is no such folder.
 */
export function searchMessages(
  sql: Sql,
  text: string,
  folderName: string,
  { limit, offset }: Pick<Range, "limit" | "offset">,
): MessagePage | null {
  const folder = folderName === "*" ? null : findFolder(sql, folderName);
  if (folderName !== "*" && !folder) return null;
  const match = toMatch(text, folder?.id ?? null);
  if (match === null) return { items: [], total: 0 };
  const items = all<ItemRow>(sql, SEARCH, match, limit, offset).map(toItem);
  const isWhole = offset === 0 && items.length < limit;
  const total = isWhole
    ? items.length
    : (first<{ total: number }>(sql, COUNT, match, limits.countedMatches)?.total ?? 0);
  return { items, total };
}

const LABELLED = `
  SELECT ${ITEM} FROM (SELECT message AS id FROM message_labels WHERE label = ?1 ORDER BY message DESC LIMIT ?2 OFFSET ?3) page
    JOIN messages m ON m.id = page.id JOIN folders f ON f.id = m.folder ORDER BY m.id DESC`;

const COUNT_LABELLED = "SELECT count(*) AS total FROM (SELECT 1 FROM message_labels WHERE label = ?1 LIMIT ?2)";

/** Returns the messages with a label in all folders, newest first. The total counts at most 10,000. */
export function listLabelled(
  sql: Sql,
  labelId: string,
  { limit, offset }: Pick<Range, "limit" | "offset">,
): MessagePage {
  const items = all<ItemRow>(sql, LABELLED, labelId, limit, offset).map(toItem);
  const total = first<{ total: number }>(sql, COUNT_LABELLED, labelId, limits.countedMatches)?.total ?? 0;
  return { items, total };
}

/** Messages of one thread that are shown. */
const THREAD_MESSAGES = 500;

/** Returns the messages of a thread in all folders, oldest first: the newest 500. Empty for an unknown thread. */
export function listThread(sql: Sql, threadId: string): MessageItem[] {
  const rows = all<ItemRow>(
    sql,
    `SELECT ${ITEM} FROM messages m JOIN folders f ON f.id = m.folder WHERE m.thread = ? ORDER BY m.received_at DESC, m.id DESC LIMIT ?`,
    threadId,
    THREAD_MESSAGES,
  );
  return rows.reverse().map(toItem);
}

interface MessageRow extends ItemRow {
  object: string;
  in_reply_to: string | null;
  refs: string;
  header_size: number;
  parts: string;
  problem: string | null;
  authentication: string | null;
}

/** Returns a message with the places of its parts, or null. */
export function findMessage(sql: Sql, folderName: string, uid: number): StoredMessage | null {
  const row = first<MessageRow>(
    sql,
    `SELECT ${ITEM}, m.object, m.in_reply_to, m.refs, m.header_size, m.parts, m.problem, m.authentication
       FROM folders f JOIN messages m ON m.folder = f.id WHERE f.id = ? AND m.uid = ?`,
    findFolder(sql, folderName)?.id ?? 0,
    uid,
  );
  if (!row) return null;
  const { cc, bcc, replyTo } = readRecipients(row);
  return {
    ...toItem(row),
    object: row.object,
    cc,
    bcc,
    replyTo,
    inReplyTo: row.in_reply_to,
    references: JSON.parse(row.refs) as string[],
    headerSize: row.header_size,
    parts: (JSON.parse(row.parts) as PartPlace[]).map(markFilename),
    problem: row.problem,
    authentication: row.authentication,
  };
}

/** Marks controls in a name, which messages of earlier versions have as they came. */
const markFilename = (part: PartPlace): PartPlace =>
  part.filename === null ? part : { ...part, filename: markBidiControls(part.filename) };

/** Returns the newest message with a Message-ID, or null. */
export function findByMessageId(sql: Sql, messageId: string): StoredMessage | null {
  const row = first<{ folder: string; uid: number }>(
    sql,
    `SELECT f.name AS folder, m.uid FROM thread_ids t JOIN messages m ON m.thread = t.thread AND m.message_id = t.message_id
       JOIN folders f ON f.id = m.folder WHERE t.message_id = ? ORDER BY m.received_at DESC LIMIT 1`,
    messageId,
  );
  return row && findMessage(sql, row.folder, row.uid);
}

const readRecipients = (row: ItemRow) =>
  JSON.parse(row.recipients) as Record<"to" | "cc" | "bcc" | "replyTo", Person[]>;

function toItem(row: ItemRow): MessageItem {
  return {
    uid: row.uid,
    folder: row.folder,
    messageId: row.message_id,
    threadId: row.thread,
    from: row.from_email === null ? null : { email: row.from_email, name: row.from_name },
    to: readRecipients(row).to,
    subject: row.subject,
    date: row.date,
    size: row.size,
    seen: row.seen === 1,
    flagged: row.flagged === 1,
    answered: row.answered === 1,
    hasAttachments: row.files > 0,
    labels: JSON.parse(row.labels) as string[],
    preview: row.preview,
  };
}

/** Correspondents that completion looks at, and that it returns. */
const [COMPLETED_FROM, COMPLETIONS] = [5_000, 20];

/** Returns correspondents whose address or name contains a text, the most used first, at most 20. */
export function listAddresses(sql: Sql, text: string): Person[] {
  return all<{ email: string; name: string | null }>(
    sql,
    `SELECT email, name FROM (SELECT email, name, uses FROM addresses ORDER BY uses DESC LIMIT ?2)
      WHERE instr(lower(email), ?1) OR instr(lower(name), ?1) ORDER BY uses DESC, email LIMIT ?3`,
    text.toLowerCase(),
    COMPLETED_FROM,
    COMPLETIONS,
  );
}
