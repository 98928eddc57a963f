import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";

export const users = sqliteTable(
  "users",
  {
    id: text().primaryKey().notNull(),
    email: text().notNull(),
    emailKey: text("email_key").notNull(),
    name: text(),
    isPlatformAdmin: integer("is_platform_admin", { mode: "boolean" }).notNull().default(false),
    restrictedAt: integer("restricted_at"),
    timeZone: text("time_zone"),
    createdAt: integer("created_at").notNull(),
  },
  (t) => [uniqueIndex("users_by_email").on(t.emailKey)],
);

export const workspaces = sqliteTable(
  "workspaces",
  {
    number: integer().primaryKey({ autoIncrement: true }).notNull(),
    id: text().notNull(),
    name: text().notNull(),
    slug: text().notNull(),
    settings: text({ mode: "json" }).$type<WorkspaceSettings>().notNull().default({}),
    sendingPausedAt: integer("sending_paused_at"),
    pausedByPlatformAt: integer("paused_by_platform_at"),
    /** Since when the platform refuses its keys and sign-ins; null: it does not. */
    shutAt: integer("shut_at"),
    /** Emails a day; 0: no limit. Null: that of the deployment. */
    dailyLimit: integer("daily_limit"),
    /** 0, 1 or 2 (src/platform/bulk-pauses/rules.ts). */
    bulkPause: integer("bulk_pause").notNull().default(0),
    bulkPausedAt: integer("bulk_paused_at"),
    bulkResumedAt: integer("bulk_resumed_at"),
    /** Unused; versions before 0.3 write it. */
    people: integer().notNull().default(0),
    createdAt: integer("created_at").notNull(),
    deletedAt: integer("deleted_at"),
    slackWebhookUrl: text("slack_webhook_url"),
    mailShards: text("mail_shards", { mode: "json" }).$type<number[]>().notNull().default([0]),
    /** Name of the egress that its mail takes; null: none of its own. */
    egress: text(),
    /** Budgets that the operator has raised, by the names of their tables. */
    budgets: text({ mode: "json" }).$type<Record<string, number>>().notNull().default({}),
    /** The counts of jobs: rows by the names of their tables, and `content` in R2 in megabytes (src/operations/retention). */
    stored: text({ mode: "json" }).$type<Record<string, number>>().notNull().default({}),
  },
  (t) => [
    uniqueIndex("workspaces_by_id").on(t.id),
    index("workspaces_by_egress").on(t.id).where(sql`egress IS NOT NULL`),
    uniqueIndex("workspaces_by_slug").on(t.slug),
    index("workspaces_by_bulk_pause").on(t.bulkPausedAt).where(sql`bulk_paused_at IS NOT NULL`),
    index("workspaces_over_share").on(t.number).where(sql`stored->>'$.over_share' IS NOT NULL`),
    index("workspaces_with_retention").on(t.number).where(sql`settings->>'$.retention_days' IS NOT NULL`),
  ],
);

/** How recipients see a workspace, beside its name. */
export interface StoredBrand {
  /** The last part of the address of a picture. */
  logo?: string;
  /** `#` and six hexadecimal digits in lower case. */
  color?: string;
  /** Postal address, in lines. */
  address?: string;
}

/** Settings of a workspace. A missing key has its default. */
export interface WorkspaceSettings {
  /** Days for which emails are kept; absent: those of the deployment. */
  retention_days?: number;
  tracking_opens?: boolean;
  tracking_clicks?: boolean;
  /** IANA name of the zone in which automations wait for an hour; missing: UTC. */
  time_zone?: string;
  brand?: StoredBrand;
}

/** Returns the column of a row that belongs to a workspace. */
export const workspaceNumber = () =>
  integer()
    .notNull()
    .references(() => workspaces.number);

/** Returns the column of a row that belongs to a user. */
export const userId = () =>
  text("user_id")
    .notNull()
    .references(() => users.id);

export const memberships = sqliteTable(
  "memberships",
  {
    workspace: workspaceNumber(),
    userId: userId(),
    role: text({ enum: ["owner", "admin", "member"] }).notNull(),
    mailboxesOnly: integer("mailboxes_only", { mode: "boolean" }).notNull().default(false),
    createdAt: integer("created_at").notNull(),
  },
  (t) => [primaryKey({ columns: [t.workspace, t.userId] }), index("memberships_by_user").on(t.userId)],
);

export const apiKeys = sqliteTable(
  "api_keys",
  {
    id: text().primaryKey().notNull(),
    workspace: workspaceNumber(),
    userId: userId(),
    name: text().notNull(),
    prefix: text().notNull(),
    hash: text().notNull(),
    scopes: text({ mode: "json" }).$type<string[]>().notNull(),
    domainIds: text("domain_ids", { mode: "json" }).$type<string[]>(),
    lastUsedAt: integer("last_used_at"),
    createdAt: integer("created_at").notNull(),
    expiresAt: integer("expires_at"),
    revokedAt: integer("revoked_at"),
    replacedById: text("replaced_by_id"),
  },
  (t) => [
    uniqueIndex("api_keys_by_hash").on(t.hash),
    index("api_keys_by_workspace").on(t.workspace, t.id),
    index("api_keys_live").on(t.workspace, t.expiresAt).where(sql`revoked_at IS NULL AND replaced_by_id IS NULL`),
  ],
);

export const invitations = sqliteTable(
  "invitations",
  {
    id: text().primaryKey().notNull(),
    workspace: workspaceNumber(),
    email: text().notNull(),
    emailKey: text("email_key").notNull(),
    role: text({ enum: ["owner", "admin", "member"] }).notNull(),
    mailboxesOnly: integer("mailboxes_only", { mode: "boolean" }).notNull().default(false),
    hash: text().notNull(),
    invitedBy: text("invited_by")
      .notNull()
      .references(() => users.id),
    createdAt: integer("created_at").notNull(),
    expiresAt: integer("expires_at").notNull(),
  },
  (t) => [
    uniqueIndex("invitations_by_address").on(t.workspace, t.emailKey),
    uniqueIndex("invitations_by_hash").on(t.hash),
    index("invitations_by_expiry").on(t.expiresAt),
    index("invitations_to_address").on(t.emailKey, t.expiresAt),
  ],
);
