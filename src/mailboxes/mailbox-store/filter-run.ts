import { binaryStringToBytes } from "../../lib/bytes.ts";
import { readHeader } from "../../mail/messages/header.ts";
import { markMessages, placeOf, toFiltered } from "./apply-filters.ts";
import { moveMessages } from "./change.ts";
import { flagsSet, messagesMoved } from "./changes.ts";
import { type FilterOutcome, filterBy, isNoOutcome } from "./filter-rules.ts";
import { activeFilters } from "./filters.ts";
import { findFolder } from "./folders.ts";
import type { MessageRow } from "./message-rows.ts";
import { all, type Sql, value } from "./sql.ts";
import type { MailboxChange, Person } from "./types.ts";

/** Messages that one run of the alarm compares with the filters. */
const PAGE = 200;

/** A run of the filters over a folder, on demand. */
export interface FilterRun {
  folder: string;
  status: "running" | "done";
  /** Messages that were compared, those that changed, and those that the folder had at the start. */
  checked: number;
  changed: number;
  total: number;
  /** In ms since 1970. */
  startedAt: number;
  updatedAt: number;
}

/** A stored run: the UIDs above `after` and up to `until` are left. Messages that arrive meanwhile are filtered by their arrival. */
interface StoredRun extends FilterRun {
  folderId: number;
  after: number;
  until: number;
}

/** Returns the run that goes on, or the last one; null when there was none. */
export function readFilterRun(sql: Sql): FilterRun | null {
  const run = stored(sql);
  if (!run) return null;
  const { folderId: _, after: _after, until: _until, ...shown } = run;
  return shown;
}

/** Returns whether a run goes on. */
export const hasFilterRun = (sql: Sql): boolean => stored(sql)?.status === "running";

/** Starts to apply the filters to the messages of a folder; the alarm goes on with it. Must run in a transaction. */
export function startFilterRun(
  sql: Sql,
  name: string,
  now: number,
): { run: FilterRun } | { refused: "no-folder" | "running" } {
  if (hasFilterRun(sql)) return { refused: "running" };
  const folder = findFolder(sql, name);
  if (!folder) return { refused: "no-folder" };
  const { id: folderId, total, uidnext } = folder;
  const shown = { folder: folder.name, status: "running" as const, checked: 0, changed: 0, total };
  save(sql, { ...shown, startedAt: now, updatedAt: now, folderId, after: 0, until: uidnext - 1 });
  const run = readFilterRun(sql);
  if (!run) throw new Error("the run was not stored");
  return { run };
}

/**
 * Applies the filters to the next messages of the run, and returns the changes. Forwards nothing: the messages have arrived before. Must
 * run in a transaction, so a message is changed and passed, or neither. `now` in ms since 1970.
 */
export function continueFilterRun(sql: Sql, now: number): MailboxChange[] {
  const run = stored(sql);
  if (run?.status !== "running") return [];
  const folder = value<string>(sql, "SELECT name FROM folders WHERE id = ?", run.folderId);
  const rows = folder === null ? [] : all<PageRow>(sql, READ_PAGE, run.folderId, run.after, run.until);
  const outcomes = outcomesOf(sql, rows);
  save(sql, {
    ...run,
    status: rows.length < PAGE ? "done" : "running",
    after: rows.at(-1)?.uid ?? run.until,
    checked: run.checked + rows.length,
    changed: run.changed + outcomes.length,
    updatedAt: now,
  });
  return folder === null ? [] : applyOutcomes(sql, folder, outcomes, now);
}

type PageColumn = "uid" | "from_email" | "from_name" | "subject" | "size" | "recipients" | "delivered_to";
type PageRow = Pick<MessageRow, PageColumn> & { header: string | null };

const READ_PAGE = `
  SELECT m.uid, m.from_email, m.from_name, m.subject, m.size, m.recipients, m.delivered_to, s.header FROM messages m
    LEFT JOIN message_structures s ON s.message = m.id
   WHERE m.folder = ?1 AND m.uid > ?2 AND m.uid <= ?3 ORDER BY m.uid LIMIT ${PAGE}`;

type MessageOutcome = { uid: number; outcome: FilterOutcome };

/** Returns what the filters change of messages, without those that stay as they are. */
function outcomesOf(sql: Sql, rows: readonly PageRow[]): MessageOutcome[] {
  const filters = activeFilters(sql);
  const run = filterBy(filters);
  const needsList = filters.some(({ match }) => match.conditions.some(({ field }) => field === "list_id"));
  return rows
    .map((row) => ({ uid: row.uid, outcome: { ...run(toMessage(row, needsList)), forwards: [] } }))
    .filter(({ outcome }) => !isNoOutcome(outcome));
}

function toMessage(row: PageRow, needsList: boolean) {
  const { to, cc } = JSON.parse(row.recipients) as { to: Person[]; cc: Person[] };
  const from = row.from_email === null ? null : { email: row.from_email, name: row.from_name };
  const { subject, size, delivered_to: deliveredTo } = row;
  return toFiltered({ from, to, cc, subject, size, deliveredTo }, needsList ? listIdOf(row.header) : null);
}

function listIdOf(header: string | null): string | null {
  if (header === null) return null;
  const { fields } = readHeader(binaryStringToBytes(header));
  return fields.find(({ name }) => name.toLowerCase() === "list-id")?.value ?? null;
}

/** Marks and moves messages of a folder: the moves in groups of one folder each, so that their UIDs are consecutive there. */
function applyOutcomes(sql: Sql, folder: string, outcomes: readonly MessageOutcome[], now: number): MailboxChange[] {
  for (const { uid, outcome } of outcomes) markMessages(sql, folder, [uid], outcome);
  const placed = outcomes.flatMap(({ uid, outcome }) => {
    const target = placeOf(sql, outcome.placement);
    return target === null || target.name === folder ? [] : [{ uid, to: target.name }];
  });
  const moved = [...Map.groupBy(placed, ({ to }) => to)].flatMap(([to, messages]) => {
    const uids = messages.map(({ uid }) => uid);
    const result = moveMessages(sql, folder, uids, to, now);
    return "moved" in result ? messagesMoved(folder, to, result.moved) : [];
  });
  const gone = new Set(placed.map(({ uid }) => uid));
  const stay = outcomes.map(({ uid }) => uid).filter((uid) => !gone.has(uid));
  return [...flagsSet(folder, stay), ...moved];
}

function stored(sql: Sql): StoredRun | null {
  const run = value<string>(sql, "SELECT value FROM settings WHERE name = 'filter_run'");
  return run === null ? null : (JSON.parse(run) as StoredRun);
}

function save(sql: Sql, run: StoredRun): void {
  sql.exec("INSERT OR REPLACE INTO settings (name, value) VALUES ('filter_run', ?)", JSON.stringify(run));
}
