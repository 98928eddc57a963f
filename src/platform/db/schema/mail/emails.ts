import { sql } from "drizzle-orm";
import { check, index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { RecipientEntry, StoredEvent } from "../../email-json.ts";
import { keyedTable } from "../both.ts";

export const emails = sqliteTable(
  "emails",
  {
    n: integer().primaryKey().notNull(),
    workspace: integer().notNull(),
    id: text().notNull(),
    status: text({
      enum: ["scheduled", "queued", "sent", "delivered", "bounced", "rejected", "failed", "cancelled"],
    }).notNull(),
    source: text().notNull(),
    domainId: text("domain_id").notNull(),
    mailboxId: text("mailbox_id").notNull(),
    userId: text("user_id"),
    fromEmail: text("from_email").notNull(),
    fromName: text("from_name"),
    messageId: text("message_id").notNull(),
    subject: text().notNull(),
    recipients: text({ mode: "json" }).$type<RecipientEntry[]>().notNull(),
    tags: text({ mode: "json" }).$type<string[]>(),
    events: text({ mode: "json" }).$type<StoredEvent[]>().notNull(),
    contentKey: text("content_key"),
    contentOffset: integer("content_offset").notNull(),
    contentSize: integer("content_size").notNull(),
    attempts: integer().notNull().default(0),
    /** Null: the outbox tells it. Version 0.2.0 writes it. */
    dueAt: integer("due_at"),
    outboxId: text("outbox_id"),
    version: integer().notNull().default(0),
    openedCount: integer("opened_count").notNull().default(0),
    clickedCount: integer("clicked_count").notNull().default(0),
    scheduledAt: integer("scheduled_at"),
    createdAt: integer("created_at").notNull(),
    sentAt: integer("sent_at"),
    deliveredAt: integer("delivered_at"),
    rejectionReason: text("rejection_reason"),
    retryOfId: text("retry_of_id"),
    content: text(),
    hits: text({ mode: "json" }).$type<string[]>(),
    broadcast: integer(),
    contact: integer(),
    variant: integer(),
    variables: text(),
    requestId: text("request_id"),
    topic: integer(),
  },
  (t) => [
    uniqueIndex("emails_by_id").on(t.workspace, t.id),
    index("emails_by_rare_status")
      .on(t.workspace, t.status, t.id)
      .where(sql`status IN ('scheduled', 'sent', 'bounced', 'rejected', 'failed', 'cancelled')`),
    index("emails_tried").on(t.workspace, t.id).where(sql`status = 'queued' AND attempts > 0`),
    index("emails_scheduled").on(t.workspace, t.scheduledAt).where(sql`status = 'scheduled'`),
    index("emails_scheduled_by_domain").on(t.domainId).where(sql`status = 'scheduled'`),
  ],
);

export const changes = keyedTable("changes", ["workspace", "atUs"], {
  workspace: integer().notNull(),
  atUs: integer("at_us").notNull(),
  emails: text({ mode: "json" }).$type<number[]>().notNull(),
});

/** Progress of moving content from rows to R2 (src/sending/emails/content/offload.ts). */
export const contentProgress = sqliteTable(
  "content_progress",
  { id: integer().primaryKey().notNull(), n: integer().notNull(), sweptN: integer("swept_n").notNull().default(0) },
  () => [check("one_row", sql`id = 1`)],
);

/** The last three retries to each address, which a retry is checked against (emails/retry). */
export const retriedAddresses = sqliteTable(
  "retried_addresses",
  {
    workspace: integer().notNull(),
    email: text().notNull(),
    newest: text().notNull(),
    second: text(),
    third: text(),
  },
  (t) => [primaryKey({ columns: [t.workspace, t.email] }), index("retried_addresses_by_newest").on(t.newest)],
);

/** Written by earlier versions only: the index itself tells its progress. (email_search is FTS5, which drizzle does not support.) */
export const searchProgress = sqliteTable(
  "search_progress",
  { id: integer().primaryKey().notNull(), n: integer().notNull() },
  () => [check("one_row", sql`id = 1`)],
);
