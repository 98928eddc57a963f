import { all, first, type Sql } from "./sql.ts";
import type { Quota, StorageSection } from "./types.ts";

/** Returns the size of a mailbox, from the counters of its folders. */
export function readQuota(sql: Sql): Quota {
  const find = "SELECT coalesce(sum(bytes), 0) AS usedBytes, coalesce(sum(total), 0) AS messageCount FROM folders";
  return first<Quota>(sql, find) ?? { usedBytes: 0, messageCount: 0 };
}

/** Returns the size of each folder, and of the attachments in all of them, which is part of those sizes. */
export function listSections(sql: Sql): StorageSection[] {
  const folders = all<StorageSection>(sql, "SELECT name AS section, bytes, total AS count FROM folders ORDER BY id");
  const find = `SELECT 'attachments' AS section, coalesce(sum(file_bytes), 0) AS bytes, coalesce(sum(files), 0) AS count FROM folders`;
  const files = first<StorageSection>(sql, find);
  return files ? [...folders, files] : folders;
}
