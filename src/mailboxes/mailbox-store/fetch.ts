import { type HeaderFields, headerOf } from "../../mail/imap/header-fields.ts";
import { findFolder } from "./folders.ts";
import { all, type Sql } from "./sql.ts";
import type { NewMessage } from "./types.ts";

/** A message as it is read, beside its state. */
export interface FetchedMessage extends Pick<NewMessage, "object" | "receivedAt" | "size" | "headerSize"> {
  uid: number;
  /** The fields of the header that were asked for. Absent: none were, or the header must be read from the object. */
  header?: string;
  /** A MessageStructure as JSON. Absent: it was not asked for, or must be found out from the object. */
  structure?: string;
}

/** Messages of one call. */
const MAX_FETCHED = 200;

const COLUMNS = "m.uid, m.object, m.received_at AS receivedAt, m.size, m.header_size AS headerSize";
const OF_FOLDER = `m.folder = ?1 AND m.uid IN (SELECT value FROM json_each(?2)) ORDER BY m.uid LIMIT ${MAX_FETCHED}`;

const FETCH = `SELECT ${COLUMNS} FROM messages m WHERE ${OF_FOLDER}`;

const FETCH_MORE = `
  SELECT ${COLUMNS}, iif(?3, s.header, NULL) AS header, iif(?4, s.structure, NULL) AS structure
    FROM messages m LEFT JOIN message_structures s ON s.message = m.id WHERE ${OF_FOLDER}`;

type Row = Omit<FetchedMessage, "header" | "structure"> & { header: string | null; structure: string | null };

/** Returns the messages of a folder with these UIDs, at most 200, with what is wanted of them. Null when there is no such folder. */
export function fetchMessages(
  sql: Sql,
  folderName: string,
  uids: readonly number[],
  { header, structure }: { header: HeaderFields | null; structure: boolean },
): FetchedMessage[] | null {
  const folder = findFolder(sql, folderName);
  if (!folder) return null;
  const list = JSON.stringify(uids);
  if (header === null && !structure) return all<FetchedMessage>(sql, FETCH, folder.id, list);
  const rows = all<Row>(sql, FETCH_MORE, folder.id, list, header === null ? 0 : 1, structure ? 1 : 0);
  return rows.map(({ header: stored, structure: json, ...row }) => ({
    ...row,
    ...(header === null || stored === null ? {} : { header: headerOf(stored, header) }),
    ...(json === null ? {} : { structure: json }),
  }));
}
