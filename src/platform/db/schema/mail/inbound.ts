import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";

export const inboundEmails = sqliteTable(
  "inbound_emails",
  {
    n: integer().primaryKey().notNull(),
    workspace: integer().notNull(),
    id: text().notNull(),
    mailboxId: text("mailbox_id").notNull(),
    domainId: text("domain_id").notNull(),
    messageId: text("message_id"),
    fromAddress: text("from_address").notNull(),
    fromName: text("from_name"),
    recipient: text().notNull(),
    subject: text().notNull(),
    textPreview: text("text_preview").notNull(),
    attachmentCount: integer("attachment_count").notNull(),
    authentication: text().notNull(),
    events: text().notNull(),
    receivedAt: integer("received_at").notNull(),
    folded: text(),
  },
  (t) => [
    uniqueIndex("inbound_emails_by_id").on(t.workspace, t.id),
    index("inbound_emails_by_workspace").on(t.workspace, t.n),
  ],
);
