import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { userId, workspaceNumber } from "./accounts.ts";
import { mailboxId } from "./mailboxes.ts";

export const oneTimeTokens = sqliteTable(
  "one_time_tokens",
  {
    hash: text().primaryKey().notNull(),
    purpose: text().notNull(),
    subject: text().notNull(),
    data: text({ mode: "json" }).$type<Record<string, unknown>>().notNull().default({}),
    createdAt: integer("created_at").notNull(),
    expiresAt: integer("expires_at").notNull(),
  },
  (t) => [index("one_time_tokens_by_expiry").on(t.expiresAt)],
);

export const userTotp = sqliteTable("user_totp", {
  userId: userId().primaryKey(),
  secret: text().notNull(),
  lastStep: integer("last_step").notNull().default(0),
  createdAt: integer("created_at").notNull(),
  enabledAt: integer("enabled_at"),
});

export const recoveryCodes = sqliteTable("recovery_codes", { userId: userId(), hash: text().notNull() }, (t) => [
  primaryKey({ columns: [t.userId, t.hash] }),
]);

export const identities = sqliteTable(
  "identities",
  {
    provider: text({ enum: ["google", "github"] }).notNull(),
    subject: text().notNull(),
    userId: userId(),
    createdAt: integer("created_at").notNull(),
    email: text(),
  },
  (t) => [primaryKey({ columns: [t.provider, t.subject] }), index("identities_by_user").on(t.userId)],
);

export const mailboxPasswords = sqliteTable(
  "mailbox_passwords",
  {
    mailboxId: mailboxId().primaryKey(),
    hash: text().notNull(),
    changedAt: integer("changed_at").notNull(),
    apiKeyId: text("api_key_id"),
    assigneeId: text("assignee_id"),
    userId: text("user_id"),
  },
  (t) => [index("mailbox_passwords_by_api_key").on(t.apiKeyId).where(sql`api_key_id IS NOT NULL`)],
);

export const appPasswords = sqliteTable(
  "app_passwords",
  {
    id: text().primaryKey().notNull(),
    mailboxId: mailboxId(),
    name: text().notNull(),
    hash: text().notNull(),
    createdAt: integer("created_at").notNull(),
    lastUsedAt: integer("last_used_at"),
    apiKeyId: text("api_key_id"),
    assigneeId: text("assignee_id"),
    userId: text("user_id"),
  },
  (t) => [
    index("app_passwords_by_mailbox").on(t.mailboxId, t.id),
    index("app_passwords_by_api_key").on(t.apiKeyId).where(sql`api_key_id IS NOT NULL`),
  ],
);

export const mailboxSessions = sqliteTable(
  "mailbox_sessions",
  {
    id: text().primaryKey().notNull(),
    mailboxId: mailboxId(),
    ip: text(),
    userAgent: text("user_agent"),
    createdAt: integer("created_at").notNull(),
    expiresAt: integer("expires_at").notNull(),
  },
  (t) => [index("mailbox_sessions_by_mailbox").on(t.mailboxId), index("mailbox_sessions_by_expiry").on(t.expiresAt)],
);

export const sessions = sqliteTable(
  "sessions",
  {
    id: text().primaryKey().notNull(),
    userId: userId(),
    workspace: workspaceNumber(),
    method: text().$type<SignInMethod>().notNull(),
    ip: text(),
    userAgent: text("user_agent"),
    createdAt: integer("created_at").notNull(),
    refreshedAt: integer("refreshed_at").notNull(),
    expiresAt: integer("expires_at").notNull(),
    reauthenticatedAt: integer("reauthenticated_at"),
  },
  (t) => [
    index("sessions_by_user").on(t.userId, t.id),
    index("sessions_by_expiry").on(t.expiresAt),
    index("sessions_by_workspace").on(t.workspace, t.userId),
  ],
);

/** How a user signed in. `bootstrap`: by the link that the first start of a deployment printed. */
export type SignInMethod = "magic_link" | "google" | "github" | "bootstrap" | "invitation" | "operator";

export const refreshTokens = sqliteTable(
  "refresh_tokens",
  {
    hash: text().primaryKey().notNull(),
    kind: text({ enum: ["session", "mailbox", "oauth"] }).notNull(),
    family: text().notNull(),
    createdAt: integer("created_at").notNull(),
    expiresAt: integer("expires_at").notNull(),
    usedAt: integer("used_at"),
    successorHash: text("successor_hash"),
  },
  (t) => [index("refresh_tokens_by_family").on(t.family), index("refresh_tokens_by_expiry").on(t.expiresAt)],
);
