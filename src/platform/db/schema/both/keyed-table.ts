import { primaryKey, type SQLiteColumn, type SQLiteColumnBuilderBase, sqliteTable } from "drizzle-orm/sqlite-core";

/** Returns a table whose primary key is several of its columns. */
export const keyedTable = <Name extends string, Columns extends Record<string, SQLiteColumnBuilderBase>>(
  name: Name,
  key: readonly (keyof Columns)[],
  columns: Columns,
) =>
  sqliteTable(name, columns, (t) => [
    primaryKey({ columns: key.map((column) => t[column]) as unknown as [SQLiteColumn, ...SQLiteColumn[]] }),
  ]);
