import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { users, workspaceNumber } from "./accounts.ts";

export const invitations = sqliteTable(
  "invitations",
  {
    id: text().primaryKey().notNull(),
    workspace: workspaceNumber(),
    email: text().notNull(),
    emailKey: text("email_key").notNull(),
    role: text({ enum: ["owner", "admin", "member"] }).notNull(),
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
