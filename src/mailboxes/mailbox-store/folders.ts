import { mailboxBudgets } from "../../platform/budgets/objects.ts";
import { folderName, isSystemFolder, nameIssue, nameKey, nextUidvalidity, systemFolders } from "./rules.ts";
import { all, first, type Sql, value } from "./sql.ts";
import type { Folder, FolderSummary } from "./types.ts";

export interface FolderRow extends Omit<FolderSummary, "isSubscribed"> {
  id: number;
  files: number;
  file_bytes: number;
  /** Expunges after this modification sequence are known. */
  expunged_after: number;
  subscribed: number;
}

/** Returns the row of a folder, or null when the mailbox has none of this name. */
export function findFolder(sql: Sql, name: string): FolderRow | null {
  return first<FolderRow>(sql, "SELECT * FROM folders WHERE name = ?", folderName(name));
}

/** Returns the row of the folder whose name differs from this one in letter case at most, or null. */
export function findSameFolder(sql: Sql, name: string): FolderRow | null {
  const key = nameKey(name);
  // At most mailboxBudgets.folders.rows rows: SQLite compares letter case in ASCII only.
  const same = all<FolderRow>(sql, "SELECT * FROM folders").filter((folder) => nameKey(folder.name) === key);
  return same.find((folder) => folder.name === folderName(name)) ?? same[0] ?? null;
}

/** Returns all folders: the system folders, then the others by name. */
export function listFolders(sql: Sql): Folder[] {
  const find = "SELECT * FROM folders ORDER BY role IS NULL, CASE WHEN role IS NULL THEN name END, id";
  return all<FolderRow>(sql, find).map(toFolder);
}

/** Returns all folders with what mail programs ask of them, and the names of deleted folders that are still subscribed. */
export function listFolderStates(sql: Sql): { folders: FolderSummary[]; deletedSubscriptions: string[] } {
  const folders = all<FolderRow>(sql, "SELECT * FROM folders ORDER BY id").map((row) => ({
    ...toFolder(row),
    bytes: row.bytes,
    modseq: row.modseq,
    isSubscribed: row.subscribed === 1,
  }));
  return { folders, deletedSubscriptions: deletedSubscriptions(sql) };
}

const deletedSubscriptions = (sql: Sql) =>
  JSON.parse(value(sql, "SELECT value FROM settings WHERE name = 'deleted_subscriptions'") ?? "[]") as string[];

/** Records whether a name stays subscribed without a folder (RFC 3501 6.3.6). As many as a mailbox has folders are kept. */
function keepSubscription(sql: Sql, name: string, isKept: boolean): void {
  const kept = [...deletedSubscriptions(sql).filter((other) => other !== name), ...(isKept ? [name] : [])];
  const replace = "INSERT OR REPLACE INTO settings (name, value) VALUES ('deleted_subscriptions', ?)";
  sql.exec(replace, JSON.stringify(kept.slice(-mailboxBudgets.folders.rows)));
}

/** Subscribes to a folder, or ends the subscription to one that may be deleted. Returns null when there is none. */
export function subscribe(sql: Sql, name: string, isSubscribed: boolean): Folder | null {
  if (!isSubscribed) keepSubscription(sql, folderName(name), false);
  const folder = findFolder(sql, name);
  if (!folder) return null;
  sql.exec("UPDATE folders SET subscribed = ? WHERE id = ?", isSubscribed ? 1 : 0, folder.id);
  return toFolder(folder);
}

export type FolderResult = { folder: Folder } | { refused: "taken" | "too-many" | "unknown" | "system" | "not-empty" };

/** Creates a folder. A name that was used before gets a greater uidvalidity (RFC 9051 6.3.4). */
export function createFolder(sql: Sql, name: string, now: number): FolderResult {
  if (findSameFolder(sql, name)) return { refused: "taken" };
  const count = value<number>(sql, "SELECT count(*) FROM folders") ?? 0;
  if (count >= mailboxBudgets.folders.rows) return { refused: "too-many" };
  const uidvalidity = takeUidvalidity(sql, now);
  sql.exec("INSERT INTO folders (name, uidvalidity) VALUES (?, ?)", folderName(name), uidvalidity);
  return changed(sql, name);
}

/** Gives a folder a greater uidvalidity: mail programs forget what they know of it. */
export function renewUidvalidity(sql: Sql, folderId: number, now: number): void {
  sql.exec("UPDATE folders SET uidvalidity = ? WHERE id = ?", takeUidvalidity(sql, now), folderId);
}

/** Returns a uidvalidity that no folder of the mailbox has had. */
function takeUidvalidity(sql: Sql, now: number): number {
  const stored = value<string>(sql, "SELECT value FROM settings WHERE name = 'last_uidvalidity'");
  const last = value<number>(sql, "SELECT max(uidvalidity) FROM folders");
  const uidvalidity = nextUidvalidity(Math.max(last ?? 0, Number(stored ?? 0)), now);
  sql.exec("INSERT OR REPLACE INTO settings (name, value) VALUES ('last_uidvalidity', ?)", String(uidvalidity));
  return uidvalidity;
}

/** Separates the levels of a folder name for mail programs. */
const SEPARATOR = "/";

/** Renames a folder of the user, and the folders below it. Their UIDs and uidvalidity stay. */
export function renameFolder(sql: Sql, name: string, newName: string): FolderResult {
  const folder = findFolder(sql, name);
  if (!folder) return { refused: "unknown" };
  if (isSystemFolder(name)) return { refused: "system" };
  const other = findSameFolder(sql, newName);
  if (other && other.id !== folder.id) return { refused: "taken" };
  const prefix = `${folder.name}${SEPARATOR}`;
  const below = all<FolderRow>(sql, "SELECT * FROM folders").filter((row) => row.name.startsWith(prefix));
  const renamed = below.map((row) => ({
    row,
    to: `${folderName(newName)}${SEPARATOR}${row.name.slice(prefix.length)}`,
  }));
  const isTaken = ({ row, to }: { row: FolderRow; to: string }) => {
    const same = findSameFolder(sql, to);
    return nameIssue(to) !== null || (same !== null && same.id !== row.id);
  };
  if (renamed.some(isTaken)) return { refused: "taken" };
  sql.exec("UPDATE folders SET name = ? WHERE id = ?", folderName(newName), folder.id);
  for (const { row, to } of renamed) sql.exec("UPDATE folders SET name = ? WHERE id = ?", to, row.id);
  return changed(sql, newName);
}

/** Deletes an empty folder of the user. `keepsSubscription`: mail programs see its name until they end their subscription. */
export function deleteFolder(sql: Sql, name: string, keepsSubscription = false): FolderResult {
  const folder = findFolder(sql, name);
  if (!folder) return { refused: "unknown" };
  if (isSystemFolder(name)) return { refused: "system" };
  if (folder.total > 0) return { refused: "not-empty" };
  sql.exec("DELETE FROM expunged WHERE folder = ?", folder.id);
  sql.exec("DELETE FROM folders WHERE id = ?", folder.id);
  keepSubscription(sql, folder.name, keepsSubscription && folder.subscribed === 1);
  return { folder: toFolder(folder) };
}

function changed(sql: Sql, name: string): FolderResult {
  const row = findFolder(sql, name);
  return row ? { folder: toFolder(row) } : { refused: "unknown" };
}

const toFolder = ({ name, role, unseen, total, uidvalidity, uidnext }: FolderRow): Folder => ({
  name,
  role,
  unseen,
  total,
  uidvalidity,
  uidnext,
});

/** Takes `count` consecutive UIDs of a folder and returns the first. A UID is never given twice (RFC 9051 2.3.1.1). */
export function takeUids(sql: Sql, folderId: number, count: number): number {
  const take = "UPDATE folders SET uidnext = uidnext + ?1 WHERE id = ?2 RETURNING uidnext - ?1";
  const uid = value<number>(sql, take, count, folderId);
  if (uid === null) throw new Error(`there is no folder ${folderId}`);
  return uid;
}

/** The ids of the system folders by name. */
export const folderIds = Object.fromEntries(systemFolders.map(({ name, id }) => [name, id])) as Record<
  (typeof systemFolders)[number]["name"],
  number
>;
