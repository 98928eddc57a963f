import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { userId, workspaceNumber } from "./accounts.ts";
import { domainId } from "./domains.ts";

export const smtpCredentials = sqliteTable(
  "smtp_credentials",
  {
    id: text().primaryKey().notNull(),
    workspace: workspaceNumber(),
    domainId: domainId(),
    userId: userId(),
    username: text().notNull(),
    hash: text(),
    createdAt: integer("created_at").notNull(),
    deactivatedAt: integer("deactivated_at"),
  },
  (t) => [
    uniqueIndex("smtp_credentials_active").on(t.domainId).where(sql`deactivated_at IS NULL`),
    index("smtp_credentials_by_domain").on(t.domainId),
    index("smtp_credentials_by_username").on(t.username).where(sql`deactivated_at IS NULL`),
    index("smtp_credentials_by_workspace").on(t.workspace, t.id),
  ],
);
