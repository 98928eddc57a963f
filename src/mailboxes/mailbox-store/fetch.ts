import { findFolder } from "./folders.ts";
import { all, type Sql } from "./sql.ts";

/** What is read of messages beside their states. */
export interface FetchedMessage {
  uid: number;
  object: string;
  /** In ms since 1970. */
  receivedAt: number;
  size: number;
  headerSize: number;
}

/** Messages of one call. */
export const MAX_FETCHED = 200;

const FETCH = `
  SELECT uid, object, received_at AS receivedAt, size, header_size AS headerSize FROM messages
   WHERE folder = ? AND uid IN (SELECT value FROM json_each(?)) ORDER BY uid LIMIT ${MAX_FETCHED}`;

/** Returns the messages of a folder with these UIDs, at most 200, or null when there is no such folder. */
export function fetchMessages(sql: Sql, folderName: string, uids: readonly number[]): FetchedMessage[] | null {
  const folder = findFolder(sql, folderName);
  return folder && all<FetchedMessage>(sql, FETCH, folder.id, JSON.stringify(uids));
}
