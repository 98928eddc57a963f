import { sql } from "drizzle-orm";
import { check, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** Progress of the sweep of R2 objects without rows (src/operations/retention/sweep-objects.ts). */
export const objectSweep = sqliteTable(
  "object_sweep",
  {
    id: integer().primaryKey().notNull(),
    checkedKey: text("checked_key").notNull(),
    roundAt: integer("round_at").notNull().default(0),
    previousRoundAt: integer("previous_round_at").notNull().default(0),
  },
  () => [check("one_row", sql`id = 1`)],
);
