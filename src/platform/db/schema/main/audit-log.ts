import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

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
