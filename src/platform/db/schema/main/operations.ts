import { sql } from "drizzle-orm";
import { check, index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";

export const auditLog = sqliteTable(
  "audit_log",
  {
    id: text().primaryKey().notNull(),
    workspace: integer(),
    userId: text("user_id"),
    userEmail: text("user_email"),
    method: text().$type<"api_key" | "session" | "oauth" | "invitation">(),
    credentialId: text("credential_id"),
    ip: text(),
    action: text().notNull(),
    targetKind: text("target_kind").notNull(),
    targetId: text("target_id").notNull(),
    detail: text({ mode: "json" }).$type<Record<string, unknown>>().notNull().default({}),
    createdAt: integer("created_at").notNull(),
  },
  (t) => [index("audit_log_by_workspace").on(t.workspace, t.id)],
);

export const cronRuns = sqliteTable("cron_runs", {
  schedule: text().primaryKey().notNull(),
  ranAt: integer("ran_at").notNull(),
});

export const serviceKeys = sqliteTable("service_keys", {
  name: text().primaryKey(),
  secret: text().notNull(),
  createdAt: integer("created_at").notNull(),
});

export const dailyMetrics = sqliteTable("daily_figures", {
  /** Days since 1970. */
  day: integer().primaryKey().notNull(),
  /** JSON: count by name. */
  figures: text().notNull(),
});

export const deadLetters = sqliteTable("dead_letters", {
  id: text().primaryKey().notNull(),
  queue: text().notNull(),
  body: text().notNull(),
  recordedAt: integer("recorded_at").notNull(),
});

/** The mail databases and the main one (MAIN_NUMBER), their sizes and whether new workspaces are placed there. */
export const mailShards = sqliteTable("mail_shards", {
  number: integer().primaryKey().notNull(),
  size: integer().notNull().default(0),
  workspaces: integer().notNull().default(0),
  isOpen: integer("is_open", { mode: "boolean" }).notNull().default(true),
  sweptAt: integer("swept_at").notNull().default(0),
});

/** Progress of the sweep of R2 objects without rows (src/operations/retention/sweep-objects.ts). */
export const objectSweep = sqliteTable(
  "object_sweep",
  {
    id: integer().primaryKey().notNull(),
    checkedKey: text("checked_key").notNull(),
    roundAt: integer("round_at").notNull().default(0),
    previousRoundAt: integer("previous_round_at").notNull().default(0),
    /** The workspace of the last key, and the bytes of its objects up to that. */
    workspaceId: text("workspace_id"),
    bytes: integer().notNull().default(0),
  },
  () => [check("one_row", sql`id = 1`)],
);

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

export const erasures = sqliteTable(
  "erasures",
  {
    workspace: integer().notNull(),
    id: text().notNull(),
    email: text(),
    emailHash: text("email_hash").notNull(),
    progress: text().notNull().default("{}"),
    /** JSON: rows by kind. */
    removed: text().notNull().default("{}"),
    createdAt: integer("created_at").notNull(),
    finishedAt: integer("finished_at"),
  },
  (t) => [
    primaryKey({ columns: [t.workspace, t.id] }),
    uniqueIndex("erasures_running").on(t.workspace, t.emailHash).where(sql`finished_at IS NULL`),
  ],
);
