import { findFolder, folderIds } from "./folders.ts";
import { ITEM, type ItemRow, toItem } from "./message-rows.ts";
import { all, type Sql } from "./sql.ts";
import type { ThreadState } from "./thread-states.ts";
import type { MessageItem, Person } from "./types.ts";

/** A conversation in the list of a folder: its newest message there, and what is said of the others. */
export interface ConversationItem extends MessageItem {
  /** Its messages that are shown, and whether there are more than were counted. */
  count: number;
  hasMore: boolean;
  /** Who wrote them, oldest first, each once. */
  people: Person[];
  hasDraft: boolean;
  state: ThreadState;
}

export interface ConversationPage {
  items: ConversationItem[];
  /** Messages of the folder. */
  total: number;
  /** The greatest UID that a message of the folder can have, so that later ones are told apart. */
  upTo: number;
  /** The place after which the next page begins, or null. */
  next: ListPlace | null;
}

/** A place in the order of a folder. It stays when its message is moved away. Time in ms since 1970. */
export interface ListPlace {
  receivedAt: number;
  uid: number;
}

/** Messages of a folder that are read for one page, in steps: a long conversation has many and is one row. */
const [SCANNED, STEP] = [2_000, 200];

// `?5` tells which conversations are shown, `?6` the person, or the people as JSON.
const SHOWN = `
  CASE ?5 WHEN 'all' THEN 1
    WHEN 'closed' THEN EXISTS (SELECT 1 FROM thread_states s WHERE s.thread = m.thread AND s.closed_at IS NOT NULL)
    WHEN 'mine' THEN EXISTS (SELECT 1 FROM thread_states s WHERE s.thread = m.thread AND s.closed_at IS NULL AND s.assignee = ?6)
    ELSE NOT EXISTS (SELECT 1 FROM thread_states s WHERE s.thread = m.thread
      AND (s.closed_at IS NOT NULL OR s.assignee IN (SELECT value FROM json_each(?6)))) END`;

// The inner query is one look into an index.
const SCAN = `
  SELECT m.uid, m.received_at, ${SHOWN} AND m.uid = (
      SELECT n.uid FROM messages n WHERE n.folder = m.folder AND n.thread = m.thread
       ORDER BY n.received_at DESC, n.uid DESC LIMIT 1) AS is_newest
    FROM messages m WHERE m.folder = ?1 AND (m.received_at, m.uid) < (?2, ?3)
   ORDER BY m.received_at DESC, m.uid DESC LIMIT ?4`;

/** Messages of a conversation that a row of the list tells of: the newest of all folders, and for star and labels of its own. */
const SUMMARIZED = 51;
const NEWEST = "FROM messages WHERE thread = m.thread ORDER BY received_at DESC, id DESC LIMIT ?3";
const NEWEST_HERE =
  "FROM messages WHERE folder = m.folder AND thread = m.thread ORDER BY received_at DESC, uid DESC LIMIT ?3";

const ROWS = `
  SELECT ${ITEM}, m.folder AS folder_id,
    EXISTS (SELECT 1 FROM messages u WHERE u.folder = m.folder AND u.thread = m.thread AND u.seen = 0) AS is_unseen,
    (SELECT max(flagged) FROM (SELECT flagged ${NEWEST_HERE})) AS is_flagged,
    (SELECT json_group_array(json_array(folder, from_email, from_name, files, claim IS NOT NULL))
       FROM (SELECT folder, from_email, from_name, files ${NEWEST})) AS messages,
    (SELECT json_array(assignee, assignee_name, closed_at) FROM thread_states WHERE thread = m.thread) AS state,
    (SELECT json_group_array(DISTINCT label) FROM message_labels WHERE message IN (SELECT id ${NEWEST_HERE})) AS all_labels
    FROM json_each(?2) j CROSS JOIN messages m ON m.folder = ?1 AND m.uid = j.value JOIN folders f ON f.id = m.folder
   ORDER BY m.received_at DESC, m.uid DESC`;

interface ConversationRow extends ItemRow {
  folder_id: number;
  is_unseen: number;
  is_flagged: number;
  messages: string;
  all_labels: string;
  state: string | null;
}

/** The range of a list to read. `before` continues after a place. */
export interface ConversationRange {
  limit: number;
  before?: ListPlace | undefined;
  /** The conversations that are shown: those of a person who is `mine`, or assigned to none of the people. Absent: all. */
  show?: ShownThreads | undefined;
}

export type ShownThreads =
  | { kind: "mine"; person: string }
  | { kind: "unassigned"; people: string[] }
  | { kind: "closed" };

/**
 * Returns conversations of a folder, one row each, in the order of their newest message there. A page may have fewer than
 * `limit` although another follows. Null when there is no such folder.
 */
export function listConversations(
  sql: Sql,
  folderName: string,
  { limit, before, show }: ConversationRange,
): ConversationPage | null {
  const folder = findFolder(sql, folderName);
  if (!folder) return null;
  const { uids, next } = findNewest(sql, folder.id, limit, before, show);
  const rows = all<ConversationRow>(sql, ROWS, folder.id, JSON.stringify(uids), SUMMARIZED);
  return { items: rows.map(toConversation), total: folder.total, upTo: folder.uidnext - 1, next };
}

type Scanned = { uid: number; received_at: number; is_newest: number };

const START: ListPlace = { receivedAt: Number.MAX_SAFE_INTEGER, uid: Number.MAX_SAFE_INTEGER };

/** Returns the UIDs of messages after which no other of their conversation came into the folder. */
function findNewest(sql: Sql, folderId: number, limit: number, before: ListPlace = START, show?: ShownThreads) {
  const whom = show?.kind === "mine" ? show.person : JSON.stringify(show?.kind === "unassigned" ? show.people : []);
  const newest: ListPlace[] = [];
  const uids = () => newest.map(({ uid }) => uid);
  let last = before;
  for (let scanned = 0; scanned < SCANNED; scanned += STEP) {
    const rows = all<Scanned>(sql, SCAN, folderId, last.receivedAt, last.uid, STEP, show?.kind ?? "all", whom);
    for (const { uid, received_at: receivedAt, is_newest } of rows) {
      if (is_newest === 1 && newest.length === limit) return { uids: uids(), next: newest.at(-1) ?? null };
      last = { receivedAt, uid };
      if (is_newest === 1) newest.push(last);
    }
    if (rows.length < STEP) return { uids: uids(), next: null };
  }
  return { uids: uids(), next: last };
}

type Summary = [folderId: number, email: string | null, name: string | null, files: number, isBeingSent: 0 | 1];

function toConversation(row: ConversationRow): ConversationItem {
  const newest = JSON.parse(row.messages) as Summary[];
  const shown = newest.filter(([folderId]) => isShownIn(row.folder_id, folderId));
  const written = shown.filter(([folderId]) => folderId !== folderIds.Drafts || folderId === row.folder_id);
  return {
    ...toItem(row),
    seen: row.is_unseen === 0,
    flagged: row.is_flagged === 1,
    hasAttachments: written.some(([, , , files]) => files > 0),
    labels: JSON.parse(row.all_labels) as string[],
    count: written.length,
    hasMore: newest.length === SUMMARIZED,
    people: toPeople(written),
    state: toState(row.state),
    hasDraft: shown.some((message) => !written.includes(message) && message[4] === 0),
  };
}

function toState(json: string | null): ThreadState {
  const [id, name, closedAt] = JSON.parse(json ?? "[null, null, null]") as [
    string | null,
    string | null,
    number | null,
  ];
  return { assignee: id === null ? null : { id, name: name ?? "" }, closedAt };
}

/** Returns whether a conversation that is opened in a folder has the messages of another one. Mail in Trash and Spam is put away. */
const isShownIn = (openIn: number, folderId: number) =>
  folderId === openIn || (folderId !== folderIds.Trash && folderId !== folderIds.Spam);

function toPeople(messages: readonly Summary[]): Person[] {
  const people = new Map<string, Person>();
  for (const [, email, name] of messages.toReversed())
    if (email !== null) people.set(email.toLowerCase(), people.get(email.toLowerCase()) ?? { email, name });
  return [...people.values()];
}
