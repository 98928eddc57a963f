import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { keyedTable } from "../both.ts";

export const automations = sqliteTable(
  "automations",
  {
    n: integer().primaryKey({ autoIncrement: true }).notNull(),
    workspace: integer().notNull(),
    id: text().notNull(),
    userId: text("user_id").notNull(),
    name: text().notNull(),
    status: text({ enum: ["draft", "active", "paused", "archived"] }).notNull(),
    edit: integer().notNull().default(0),
    /** JSON of Definition. */
    definition: text().notNull(),
    size: integer().notNull(),
    triggerEvent: text("trigger_event").notNull(),
    version: integer(),
    versionNumber: integer("version_number").notNull().default(0),
    pauseReason: text("pause_reason"),
    sweep: text({ enum: ["resume", "end"] }),
    sweepAfter: integer("sweep_after").notNull().default(0),
    createdAt: integer("created_at").notNull(),
    updatedAt: integer("updated_at").notNull(),
  },
  (t) => [
    uniqueIndex("automations_by_id").on(t.workspace, t.id),
    index("automations_by_trigger").on(t.workspace, t.triggerEvent).where(sql`status = 'active'`),
    index("automations_open").on(t.workspace).where(sql`status IN ('active', 'paused')`),
    index("automations_to_sweep").on(t.n).where(sql`sweep IS NOT NULL`),
  ],
);

export const automationVersions = sqliteTable(
  "automation_versions",
  {
    n: integer().primaryKey({ autoIncrement: true }).notNull(),
    workspace: integer().notNull(),
    automation: integer().notNull(),
    number: integer().notNull(),
    definition: text().notNull(),
    createdAt: integer("created_at").notNull(),
  },
  (t) => [
    uniqueIndex("automation_versions_by_number").on(t.automation, t.number),
    index("automation_versions_by_workspace").on(t.workspace),
  ],
);

export const automationCounts = sqliteTable(
  "automation_counts",
  {
    version: integer().notNull(),
    step: text().notNull(),
    workspace: integer().notNull(),
    runs: integer().notNull(),
  },
  (t) => [primaryKey({ columns: [t.version, t.step] }), index("automation_counts_by_workspace").on(t.workspace)],
);

export const automationRuns = sqliteTable(
  "automation_runs",
  {
    n: integer().primaryKey({ autoIncrement: true }).notNull(),
    workspace: integer().notNull(),
    id: text().notNull(),
    automation: integer().notNull(),
    version: integer().notNull(),
    emailKey: text("email_key").notNull(),
    entryKey: text("entry_key").notNull(),
    status: text({ enum: ["active", "completed", "exited", "removed"] })
      .notNull()
      .default("active"),
    node: integer(),
    visit: integer().notNull().default(1),
    dueAt: integer("due_at"),
    waitUntil: integer("wait_until"),
    waitEvent: text("wait_event"),
    isHeld: integer("is_held").notNull().default(0),
    enteredEvent: integer("entered_event").notNull(),
    mark: integer().notNull(),
    data: text().notNull(),
    history: text().notNull().default(""),
    failures: integer().notNull().default(0),
    /** Unused. A version before 2026-11-29 writes it. */
    intent: text(),
    startedAt: integer("started_at").notNull(),
    endedAt: integer("ended_at"),
  },
  (t) => [
    uniqueIndex("automation_runs_by_id").on(t.automation, t.id),
    uniqueIndex("automation_runs_by_entry").on(t.automation, t.emailKey, t.entryKey),
    index("automation_runs_by_person").on(t.workspace, t.emailKey),
    index("automation_runs_turns").on(t.workspace, t.dueAt).where(sql`due_at IS NOT NULL`),
    index("automation_runs_by_wait").on(t.workspace, t.emailKey, t.waitEvent).where(sql`wait_event IS NOT NULL`),
    index("automation_runs_active").on(t.automation, t.n).where(sql`status = 'active'`),
    index("automation_runs_by_end").on(t.endedAt).where(sql`ended_at IS NOT NULL`),
  ],
);

export const automationDailyEmails = keyedTable("automation_daily_emails", ["workspace", "emailKey"], {
  workspace: integer().notNull(),
  emailKey: text("email_key").notNull(),
  day: text().notNull(),
  emails: integer().notNull(),
});

export const automationEngine = sqliteTable("automation_engine", {
  id: integer().primaryKey().notNull(),
  lastEvent: integer("last_event").notNull(),
  token: text(),
  until: integer().notNull(),
});
