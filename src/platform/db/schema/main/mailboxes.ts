import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
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
