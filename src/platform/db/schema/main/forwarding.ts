import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { keyedTable } from "../both/keyed-table.ts";
import { workspaceNumber } from "./accounts.ts";
import { domainId } from "./domains.ts";
import { mailboxes } from "./mailboxes.ts";

export const forwardingRules = sqliteTable(
  "forwarding_rules",
  {
    id: text().primaryKey().notNull(),
    workspace: workspaceNumber(),
    domainId: domainId(),
    mailboxId: text("mailbox_id").references(() => mailboxes.id, { onDelete: "cascade" }),
    match: text().notNull(),
    action: text({ enum: ["address", "mailbox", "webhook"] }).notNull(),
    target: text().notNull(),
    targetKey: text("target_key"),
    secret: text(),
    isActive: integer("is_active", { mode: "boolean" }).notNull(),
    position: integer().notNull(),
    createdAt: integer("created_at").notNull(),
    updatedAt: integer("updated_at").notNull(),
    userId: text("user_id"),
  },
  (t) => [
    index("forwarding_rules_by_workspace").on(t.workspace, t.position, t.id),
    index("forwarding_rules_by_domain").on(t.domainId, t.position, t.id),
    index("forwarding_rules_by_mailbox").on(t.mailboxId).where(sql`mailbox_id IS NOT NULL`),
  ],
);

export const forwardTargets = keyedTable("forward_targets", ["workspace", "address"], {
  workspace: workspaceNumber(),
  address: text().notNull(),
  requestedAt: integer("requested_at").notNull(),
  confirmedAt: integer("confirmed_at"),
});

export const autoReplies = sqliteTable("auto_replies", {
  mailboxId: text("mailbox_id")
    .primaryKey()
    .notNull()
    .references(() => mailboxes.id, { onDelete: "cascade" }),
  isActive: integer("is_active", { mode: "boolean" }).notNull(),
  startsAt: integer("starts_at"),
  endsAt: integer("ends_at"),
  subject: text(),
  text: text().notNull(),
  updatedAt: integer("updated_at").notNull(),
});
