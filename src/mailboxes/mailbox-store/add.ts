import { addressKey } from "../../lib/addresses.ts";
import { filterArrived, markMessages, placeOf } from "./apply-filters.ts";
import { isBlocked } from "./blocked-senders.ts";
import type { FilterOutcome } from "./filter-rules.ts";
import { recordForwards } from "./filters.ts";
import { findFolder, folderIds, takeUids } from "./folders.ts";
import { readQuota } from "./quota.ts";
import { limits, placeToken, toSearchable } from "./rules.ts";
import { first, type Sql, value } from "./sql.ts";
import { addStructure } from "./structures.ts";
import { noteMail } from "./thread-states.ts";
import type { AddResult, NewMessage, Person } from "./types.ts";

const INSERT = `
  INSERT INTO messages (folder, uid, object, received_at, arrived_at, date, message_id, thread, in_reply_to, from_email,
    from_name, subject, preview, size, header_size, seen, draft, files, file_bytes, problem, recipients, refs,
    authentication, parts, delivered_to)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id`;

export interface AddOptions {
  /** Null: no limit. */
  quotaBytes: number | null;
  now: number;
  newId: () => string;
  /** An imported message stays in its folder, whoever sent it. */
  isImported?: boolean;
}

/**
 * Stores a message in its folder, or in the one that the filters of the mailbox choose. A delivery that was stored before changes nothing. Must run in a
 * transaction. `now` in ms since 1970.
 */
export function addMessage(
  sql: Sql,
  message: NewMessage,
  { quotaBytes, now, newId, isImported = false }: AddOptions,
): AddResult {
  const { usedBytes } = readQuota(sql);
  const known = findDelivery(sql, message, now) ?? findAppended(sql, message);
  if (known) {
    const forwards = JSON.parse(known.forwards ?? "[]") as FilterOutcome["forwards"];
    const { object, folder } = known;
    const threadId =
      first<{ thread: string }>(sql, "SELECT thread FROM messages WHERE object = ?", object)?.thread ?? null;
    return { result: "duplicate", object, folder: folder ?? message.folder, threadId, usedBytes, forwards };
  }
  if (quotaBytes !== null && usedBytes + message.size > quotaBytes) return { result: "over-quota", usedBytes };
  // The alarm may delete it at any time, although it was stored again. The sender tries again.
  if (first(sql, "SELECT 1 FROM deleted_objects WHERE object = ?", message.object))
    throw new Error("the object of the message is being deleted");
  const isSpam = !isImported && message.folder === "INBOX" && isBlocked(sql, addressKey(message.from?.email ?? ""));
  const arrivedIn = findFolder(sql, isSpam ? "Spam" : message.folder);
  if (!arrivedIn) return { result: "no-folder", usedBytes };
  const outcome = message.isFiltered && arrivedIn.id === folderIds.INBOX ? filterArrived(sql, message) : null;
  const folder = placeOf(sql, outcome?.placement ?? null) ?? arrivedIn;
  // Nothing that a filter has taken for spam is forwarded, as no other spam is.
  const forwards = folder.id === folderIds.Spam ? [] : (outcome?.forwards ?? []);
  const threadId = joinThread(sql, message, newId);
  const uid = takeUids(sql, folder.id, 1);
  const id = insert(sql, message, { folderId: folder.id, uid, threadId, now });
  index(sql, id, folder.id, message);
  if (outcome) markMessages(sql, folder.name, [uid], outcome);
  recordForwards(sql, forwards, now);
  if (message.deliveryKey !== null) {
    const replace = "INSERT OR REPLACE INTO deliveries (key, object, at, folder, forwards) VALUES (?, ?, ?, ?, ?)";
    const stored = forwards.length === 0 ? null : JSON.stringify(forwards);
    sql.exec(replace, message.deliveryKey, message.object, now, folder.name, stored);
  }
  if (!isImported) noteMail(sql, threadId, folder.id !== folderIds.Sent && folder.id !== folderIds.Drafts, now);
  countAddresses(sql, outcome?.placement === "discard" ? folder.id : arrivedIn.id, message);
  return { result: "added", uid, folder: folder.name, threadId, usedBytes: usedBytes + message.size, forwards };
}

// Its thread finds it: no index has the Message-IDs of messages.
const FIND_APPENDED = `
  SELECT m.object, ?3 AS folder, NULL AS forwards FROM thread_ids t JOIN messages m ON m.thread = t.thread AND m.message_id = t.message_id AND m.folder = ?2
   WHERE t.message_id = ?1 LIMIT 1`;

/** Returns the message of a mail program in Sent that a submitted one repeats, or null. */
function findAppended(sql: Sql, { messageId, folder, isSubmitted = false }: NewMessage) {
  if (!isSubmitted) return null;
  return first<KnownMessage>(sql, FIND_APPENDED, messageId, folderIds.Sent, folder);
}

type KnownMessage = { object: string; folder: string | null; forwards: string | null };

/** Returns the stored message that a repeated delivery has brought, or null. */
function findDelivery(sql: Sql, { deliveryKey, repeatedMs }: NewMessage, now: number) {
  if (deliveryKey === null) return null;
  const find = "SELECT object, folder, at, forwards FROM deliveries WHERE key = ?";
  const known = first<KnownMessage & { at: number }>(sql, find, deliveryKey);
  if (!known || repeatedMs === undefined) return known;
  const isKept = first(sql, "SELECT 1 FROM messages WHERE object = ?", known.object) !== null;
  return isKept && known.at > now - repeatedMs ? known : null;
}

function insert(
  sql: Sql,
  message: NewMessage,
  { folderId, uid, threadId, now }: { folderId: number; uid: number; threadId: string; now: number },
): number {
  const { from, to, cc, bcc, replyTo } = message;
  const files = message.parts.filter(({ use }) => use === "attachment" || use === "inline");
  const id = value<number>(
    sql,
    INSERT,
    ...[folderId, uid, message.object, message.receivedAt, now, message.date ?? message.receivedAt],
    ...[message.messageId, threadId, message.inReplyTo, from?.email ?? null, from?.name ?? null, message.subject],
    ...[message.preview, message.size, message.headerSize, message.seen ? 1 : 0, message.draft ? 1 : 0],
    ...[files.filter(({ use }) => use === "attachment").length, files.reduce((sum, { size }) => sum + size, 0)],
    ...[message.problem, JSON.stringify({ to, cc, bcc, replyTo }), JSON.stringify(message.references)],
    ...[message.authentication, JSON.stringify(message.parts), message.deliveredTo ?? null],
  );
  if (id === null) throw new Error("the message was not inserted");
  if (message.structure) addStructure(sql, id, message.structure, message.header ?? null);
  return id;
}

function index(sql: Sql, id: number, folderId: number, message: NewMessage): void {
  const people = (list: readonly (Person | null)[]) =>
    toSearchable(list.map((person) => `${person?.name ?? ""} ${person?.email ?? ""}`).join(" "));
  const insert =
    "INSERT INTO message_search (rowid, place, sender, recipients, subject, body) VALUES (?, ?, ?, ?, ?, ?)";
  const recipients = people([...message.to, ...message.cc, ...message.bcc]);
  const body = toSearchable(message.searchText.slice(0, limits.searchCharacters));
  const texts = [people([message.from]), recipients, toSearchable(message.subject), body];
  sql.exec(insert, id, placeToken(folderId), ...texts);
}

/**
 * Returns the thread of a message: that of the nearest message that it replies to or that replies to it, or a new one. Records its
 * own Message-ID and those that it names, so that the order of arrival does not matter.
 */
function joinThread(sql: Sql, message: NewMessage, newId: () => string): string {
  const named = [message.inReplyTo, ...message.references.toReversed()];
  const ids = [...new Set([message.messageId, ...named].filter((id) => id !== null))];
  const threadId = findThread(sql, ids) ?? newId();
  const insert = "INSERT OR IGNORE INTO thread_ids (message_id, thread) SELECT value, ?2 FROM json_each(?1)";
  sql.exec(insert, JSON.stringify(ids), threadId);
  return threadId;
}

function findThread(sql: Sql, ids: readonly string[]): string | null {
  const find =
    "SELECT t.thread FROM json_each(?) j CROSS JOIN thread_ids t ON t.message_id = j.value ORDER BY j.key LIMIT 1";
  return value<string>(sql, find, JSON.stringify(ids));
}

/** Counts the correspondents: recipients of sent mail, and the sender of mail that arrived in INBOX. */
function countAddresses(sql: Sql, folderId: number, { from, to, cc, bcc }: NewMessage): void {
  const people =
    folderId === folderIds.Sent ? [...to, ...cc, ...bcc] : folderId === folderIds.INBOX && from?.email ? [from] : [];
  const insert = `INSERT INTO addresses (email, name, uses) SELECT value->>'email', value->>'name', 1 FROM json_each(?) WHERE true
     ON CONFLICT DO UPDATE SET uses = uses + 1, name = coalesce(excluded.name, name)`;
  sql.exec(insert, JSON.stringify(people));
}
