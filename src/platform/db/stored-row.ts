import type { SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core";

/** A column as D1 returns it: a flag is 0 or 1, and JSON is a text. */
type Stored<Column extends SQLiteColumn> =
  | (Column["_"]["dataType"] extends "boolean"
      ? 0 | 1
      : Column["_"]["dataType"] extends "json"
        ? string
        : Column["_"]["data"])
  | (Column["_"]["notNull"] extends true ? never : null);

type Columns<Table extends SQLiteTable> = Table["_"]["columns"];

/** A row of a table as a statement in SQL returns it, by the names of the columns. */
export type StoredRow<Table extends SQLiteTable> = {
  [Key in keyof Columns<Table> as Columns<Table>[Key]["_"]["name"]]: Stored<Columns<Table>[Key]>;
};

/** Columns of a table by their names, as a statement in SQL returns them. */
export type StoredColumns<Table extends SQLiteTable, Names extends keyof StoredRow<Table>> = Pick<
  StoredRow<Table>,
  Names
>;
