import { getTableColumns, getTableName, is } from "drizzle-orm";
import { SQLiteTable } from "drizzle-orm/sqlite-core";
import * as mail from "./schema/mail/index.ts";
import * as main from "./schema/main/index.ts";

/** Returns SQL of the bytes of columns of a row. octet_length() reads no payload. */
export const bytesSql = (...columns: string[]) =>
  columns.map((name) => `coalesce(octet_length(${name}), 0)`).join(" + ");

/**
 * Returns SQL of the first rows of a page, a SELECT with a column `bytes`, in its order: those of `most` bytes together, and one at least.
 * Their column `found` has the number of rows of the page.
 */
export const withinBytes = (page: string, most: number) => `
  SELECT * FROM (SELECT *, sum(bytes) OVER (ROWS UNBOUNDED PRECEDING) AS total, count(*) OVER () AS found FROM (${page}))
   WHERE total <= ${most} OR total = bytes`;

/** Bytes that one statement deletes: some milliseconds of work, however wide its rows are. */
const DELETED_BYTES = 8_000_000;

/** SQL of the bytes of the columns of text of each table. */
const rowBytes = new Map<string, string>(
  [...Object.values(main), ...Object.values(mail)].flatMap((table) => {
    if (!is(table, SQLiteTable)) return [];
    const texts = Object.values(getTableColumns(table)).filter((column) => column.getSQLType() === "text");
    return [[getTableName(table), bytesSql(...texts.map(({ name }) => name))]];
  }),
);

/** Returns SQL of rows that one statement deletes, with `total` and `found` as `withinBytes`: `rest` of a SELECT, with its LIMIT, finds them. */
export const deletedRows = (table: string, columns: string, rest: string) =>
  withinBytes(`SELECT ${columns}, ${rowBytes.get(table) || 0} AS bytes FROM ${table} ${rest}`, DELETED_BYTES);

/** Returns SQL of their keys. */
export const deletedKeys = (table: string, key: string, rest: string) =>
  `SELECT ${key} FROM (${deletedRows(table, key, rest)})`;

/** Returns the statement that deletes them. None is left when it deletes none. */
export const deletePage = (table: string, key: string, rest: string) =>
  `DELETE FROM ${table} WHERE (${key}) IN (${deletedKeys(table, key, rest)})`;
