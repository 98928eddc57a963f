import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** The backup that was restored into this deployment (src/operations/backups/restores.ts). */
export const restores = sqliteTable("restores", {
  id: text().primaryKey().notNull(),
  startedAt: integer("started_at").notNull(),
  finishedAt: integer("finished_at"),
});

/** The files of that backup whose rows are written, with how many of them the database refused. */
export const restoredFiles = sqliteTable("restored_files", {
  file: text().primaryKey().notNull(),
  refused: integer().notNull().default(0),
});
