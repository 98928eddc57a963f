import { findFolder, folderIds } from "./folders.ts";
import { type MessageRow, STORED, toStored } from "./message-rows.ts";
import { all, first, type Sql } from "./sql.ts";
import { listThreadEntries, readThreadState, type ThreadEntry, type ThreadState } from "./thread-states.ts";
import { listWriters, type Writer } from "./thread-writers.ts";
import type { StoredMessage } from "./types.ts";

/** The place of a message. */
interface MessagePlace {
  folder: string;
  uid: number;
}

/** A conversation as it is opened by one of its messages. */
export interface Conversation {
  /** The message that was asked for; also one of `messages`. */
  message: StoredMessage;
  /** At most 50, oldest first: the newest ones, or those up to the message that was asked for. */
  messages: StoredMessage[];
  /** The newest message that is older than these, or null. */
  earlier: MessagePlace | null;
  /** The newest message of the conversation when it is not among these, or null. */
  newest: MessagePlace | null;
  /** The greatest UID that a message of the folder can have, so that later ones are told apart. */
  upTo: number;
  /** True when the folder has unread messages of the conversation, among these or not. */
  isUnread: boolean;
  state: ThreadState;
  entries: ThreadEntry[];
  writers: Writer[];
}

/** Messages that are shown, those that are looked through for them, and the parts of each but the one that was asked for. */
const [SHOWN, LOOKED_THROUGH, PARTS] = [50, 500, 100];

// Trash and Spam are left out, unless the conversation is opened there. The inner queries read no content.
const WINDOW = `
  SELECT ${STORED}, m.id FROM (
    SELECT id FROM (SELECT id, folder, received_at FROM messages WHERE thread = ?1 AND (received_at, id) <= (?2, ?3)
      ORDER BY received_at DESC, id DESC LIMIT ?4)
     WHERE folder NOT IN (${folderIds.Trash}, ${folderIds.Spam}) OR folder = ?5
     ORDER BY received_at DESC, id DESC LIMIT ?6) shown
    JOIN messages m ON m.id = shown.id JOIN folders f ON f.id = m.folder ORDER BY m.received_at DESC, m.id DESC`;

const UNREAD = "SELECT 1 FROM messages WHERE folder = ? AND thread = ? AND seen = 0 LIMIT 1";

type Asked = { id: number; folder: number; thread: string; received_at: number };

type Row = MessageRow & { id: number };

/** Returns the conversation of a message in all folders but Trash and Spam. Null when there is no such message. */
export function openConversation(sql: Sql, folderName: string, uid: number): Conversation | null {
  const folder = findFolder(sql, folderName);
  if (!folder) return null;
  const find = "SELECT id, folder, thread, received_at FROM messages WHERE folder = ? AND uid = ?";
  const asked = first<Asked>(sql, find, folder.id, uid);
  if (!asked) return null;
  const ofNewest = readWindow(sql, asked, Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER);
  const isAmong = ofNewest.slice(0, SHOWN).some(({ id }) => id === asked.id);
  const rows = isAmong ? ofNewest : readWindow(sql, asked, asked.received_at, asked.id);
  const shown = rows.slice(0, SHOWN);
  const messages = shown.map((row) => toShown(row, row.id === asked.id));
  const message = messages[shown.findIndex(({ id }) => id === asked.id)];
  if (!message) throw new Error("the conversation lacks its message");
  return {
    message,
    messages: messages.reverse(),
    earlier: toPlace(rows[SHOWN]),
    newest: isAmong ? null : toPlace(ofNewest[0]),
    upTo: folder.uidnext - 1,
    isUnread: first(sql, UNREAD, asked.folder, asked.thread) !== null,
    state: readThreadState(sql, asked.thread),
    entries: listThreadEntries(sql, asked.thread),
    writers: listWriters(sql, asked.thread),
  };
}

const readWindow = (sql: Sql, { thread, folder }: Asked, receivedAt: number, id: number) =>
  all<Row>(sql, WINDOW, thread, receivedAt, id, LOOKED_THROUGH, folder, SHOWN + 1);

function toShown(row: Row, isAsked: boolean): StoredMessage {
  const message = toStored(row);
  return isAsked ? message : { ...message, parts: message.parts.slice(0, PARTS) };
}

const toPlace = (row: Row | undefined): MessagePlace | null => (row ? { folder: row.folder, uid: row.uid } : null);
