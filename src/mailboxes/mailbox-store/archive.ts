import { type AddOptions, addMessage } from "./add.ts";
import { setFlags } from "./flags.ts";
import { createFolder, findFolder, findSameFolder } from "./folders.ts";
import { countImported, moveImport } from "./imports.ts";
import { changeLabels, listLabels, saveLabel } from "./labels.ts";
import { isSystemFolder, nameKey } from "./rules.ts";
import { all, column, type Sql } from "./sql.ts";
import type {
  ArchiveContents,
  ExportedMessage,
  ImportedMessage,
  ImportProgress,
  ImportResult,
  Label,
} from "./types.ts";

type Flag = "seen" | "flagged" | "answered";
/** Flags are 0 or 1, and the labels JSON. */
type ExportRow = Omit<ExportedMessage, Flag | "labels"> & Record<Flag, number> & { labels: string };

const COLUMNS = `
  m.id, f.name AS folder, m.object, m.size, m.received_at AS receivedAt, m.from_email AS "from", m.seen, m.flagged, m.answered,
  (SELECT json_group_array(l.name) FROM message_labels j JOIN labels l ON l.id = j.label WHERE j.message = m.id) AS labels`;

// A message keeps its id when it moves, so an export that runs meanwhile neither misses nor doubles it.
const PAGE = `
  SELECT ${COLUMNS}, m.id AS cursor FROM messages m JOIN folders f ON f.id = m.folder WHERE m.id > ?1 ORDER BY m.id LIMIT ?2`;

const PAGE_OF_FOLDER = `
  SELECT ${COLUMNS}, m.uid AS cursor FROM folders f JOIN messages m ON m.folder = f.id
   WHERE m.uid > ?1 AND f.id = ?3 ORDER BY m.uid LIMIT ?2`;

/** Returns messages to export after a cursor, 0 for the first page. `folderName` null: of all folders. Null: there is no such folder. */
export function exportMessages(
  sql: Sql,
  { after, limit, folderName }: { after: number; limit: number; folderName: string | null },
): ExportedMessage[] | null {
  const folder = folderName === null ? null : findFolder(sql, folderName);
  if (folderName !== null && !folder) return null;
  const rows = folder
    ? all<ExportRow>(sql, PAGE_OF_FOLDER, after, limit, folder.id)
    : all<ExportRow>(sql, PAGE, after, limit);
  return rows.map((row) => ({
    ...row,
    seen: row.seen === 1,
    flagged: row.flagged === 1,
    answered: row.answered === 1,
    labels: JSON.parse(row.labels) as string[],
  }));
}

/** Returns the folders and labels that an archive names. */
export function describeContents(sql: Sql): ArchiveContents {
  return {
    folders: column(sql, "SELECT name FROM folders ORDER BY id"),
    labels: listLabels(sql).map(({ name, color }) => ({ name, color })),
  };
}

/**
 * Creates the folders and labels of an archive that the mailbox does not have in any letter case. Beyond the limits of a mailbox they are
 * left out. Returns the folders that were created.
 */
export function createContents(
  sql: Sql,
  { folders, labels }: ArchiveContents,
  { now, newId }: { now: number; newId: () => string },
): string[] {
  for (const label of labels) saveLabel(sql, { id: newId(), ...label }, true);
  return folders.filter((name) => !isSystemFolder(name) && "folder" in createFolder(sql, name, now));
}

/**
 * Stores messages of an archive, those of an unknown folder in INBOX. One that was imported before and is still there changes nothing.
 * `progress` is that of an import in the background; null: another run has moved it, and nothing is stored. Must run in a transaction.
 */
export function importMessages(
  sql: Sql,
  messages: readonly ImportedMessage[],
  progress: ImportProgress | null,
  options: AddOptions,
): ImportResult[] | null {
  if (progress && !moveImport(sql, progress, options.now)) return null;
  const labels = new Map(listLabels(sql).map((label) => [nameKey(label.name), label]));
  const results = messages.map((message) => importMessage(sql, message, labels, options));
  if (progress) countImported(sql, progress.id, results);
  return results;
}

function importMessage(
  sql: Sql,
  { message, flagged, answered, labels: names }: ImportedMessage,
  labels: ReadonlyMap<string, Label>,
  options: AddOptions,
): ImportResult {
  const folder = findSameFolder(sql, message.folder)?.name ?? "INBOX";
  // A user who deleted a message can import it again.
  const repeatedMs = Number.POSITIVE_INFINITY;
  const added = addMessage(sql, { ...message, folder, repeatedMs }, { ...options, isImported: true });
  if (added.result !== "added") return { result: added.result };
  const place = [added.folder, [added.uid]] as const;
  if (flagged || answered) setFlags(sql, ...place, { flagged, answered });
  const labelIds = names.flatMap((name) => labels.get(nameKey(name))?.id ?? []);
  if (labelIds.length > 0) changeLabels(sql, ...place, labelIds, "add");
  return { result: "added", folder: added.folder, uid: added.uid };
}

/** Returns those of these delivery keys whose message is in the mailbox. */
export function findImported(sql: Sql, keys: readonly string[]): string[] {
  const find = `SELECT d.key FROM json_each(?) j CROSS JOIN deliveries d ON d.key = j.value
      WHERE EXISTS (SELECT 1 FROM messages m WHERE m.object = d.object)`;
  return column(sql, find, JSON.stringify(keys));
}
