import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { userId, workspaceNumber } from "./accounts.ts";

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
