import {
  index,
  integer,
  primaryKey,
  type SQLiteColumn,
  type SQLiteColumnBuilderBase,
  sqliteTable,
  text,
} from "drizzle-orm/sqlite-core";

/** Returns a table whose primary key is several of its columns. `indexed`: the column of each index, by its name. */
export const keyedTable = <Name extends string, Columns extends Record<string, SQLiteColumnBuilderBase>>(
  name: Name,
  key: readonly (keyof Columns)[],
  columns: Columns,
  indexed: Readonly<Record<string, keyof Columns>> = {},
) =>
  sqliteTable(name, columns, (t) => [
    primaryKey({ columns: key.map((column) => t[column]) as unknown as [SQLiteColumn, ...SQLiteColumn[]] }),
    ...Object.entries(indexed).map(([name, column]) => index(name).on(t[column] as unknown as SQLiteColumn)),
  ]);

export const idempotencyKeys = keyedTable("idempotency_keys", ["day", "workspace", "key"], {
  day: integer().notNull(),
  workspace: integer().notNull(),
  key: text().notNull(),
  fingerprint: text().notNull(),
  answer: text().notNull(),
  createdAt: integer("created_at").notNull(),
});

/** Returns the columns that an outbox row has in every database, also while it is held or in quarantine. */
const rowColumns = () => ({
  id: text().primaryKey().notNull(),
  dueAt: integer("due_at").notNull(),
  kind: text().notNull(),
  ref: text().notNull(),
  broadcast: integer(),
  workspace: integer().notNull().default(0),
});

/** Returns the columns that the outbox has in every database. */
export const outboxColumns = () => ({
  ...rowColumns(),
  token: text(),
  claims: integer().notNull().default(0),
  leasedUntil: integer("leased_until").notNull().default(0),
});

/** Outbox rows of a restored backup, until an operator resumes them. */
export const heldOutbox = sqliteTable("held_outbox", {
  ...rowColumns(),
  token: text(),
  claims: integer().notNull().default(0),
  outage: text(),
});

/** Outbox rows whose claim alone failed, until an operator tries or drops them. */
export const quarantine = sqliteTable("quarantine", {
  ...rowColumns(),
  workspace: integer().notNull(),
  claims: integer().notNull(),
  error: text().notNull(),
  setAsideAt: integer("set_aside_at").notNull(),
});
