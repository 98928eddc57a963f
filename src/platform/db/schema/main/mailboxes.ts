import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { keyedTable } from "../both.ts";
import { userId, workspaceNumber } from "./accounts.ts";
import { domainId, domains } from "./domains.ts";

export const mailboxes = sqliteTable(
  "mailboxes",
  {
    id: text().primaryKey().notNull(),
    workspace: workspaceNumber(),
    domainId: text("domain_id")
      .notNull()
      .references(() => domains.id),
    localPart: text("local_part").notNull(),
    address: text().notNull(),
    displayName: text("display_name"),
    isActive: integer("is_active", { mode: "boolean" }).notNull().default(true),
    quotaBytes: integer("quota_bytes"),
    usedBytes: integer("used_bytes").notNull().default(0),
    createdAt: integer("created_at").notNull(),
  },
  (t) => [
    uniqueIndex("mailboxes_by_address").on(t.workspace, t.address),
    index("mailboxes_by_address_alone").on(t.address),
    index("mailboxes_by_domain").on(t.domainId),
  ],
);

/** Returns the column of a row that belongs to a mailbox, and is deleted with it. */
export const mailboxId = () =>
  text("mailbox_id")
    .notNull()
    .references(() => mailboxes.id, { onDelete: "cascade" });

export const mailboxAliases = sqliteTable(
  "mailbox_aliases",
  {
    id: text().primaryKey().notNull(),
    workspace: workspaceNumber(),
    mailboxId: mailboxId(),
    domainId: domainId(),
    address: text().notNull(),
    createdAt: integer("created_at").notNull(),
  },
  (t) => [
    uniqueIndex("mailbox_aliases_by_address").on(t.workspace, t.address),
    index("mailbox_aliases_by_address_alone").on(t.address),
    index("mailbox_aliases_by_mailbox").on(t.mailboxId, t.address),
    index("mailbox_aliases_by_domain").on(t.domainId),
  ],
);

export const mailboxAssignees = sqliteTable(
  "mailbox_assignees",
  {
    mailboxId: mailboxId(),
    userId: userId(),
  },
  (t) => [primaryKey({ columns: [t.mailboxId, t.userId] }), index("mailbox_assignees_by_user").on(t.userId)],
);

export const mailboxOpenings = sqliteTable(
  "mailbox_openings",
  { id: text().primaryKey().notNull(), expiresAt: integer("expires_at").notNull() },
  (t) => [index("mailbox_openings_by_expiry").on(t.expiresAt)],
);

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
