import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { keyedTable } from "../both.ts";

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

const key = { workspace: integer().notNull(), day: integer().notNull(), domainId: text("domain_id").notNull() };

export const domainReports = keyedTable(
  "domain_reports",
  ["workspace", "day", "domainId", "kind", "organization", "reportId"],
  {
    ...key,
    kind: text({ enum: ["dmarc", "tls"] }).notNull(),
    organization: text().notNull(),
    reportId: text("report_id").notNull(),
    id: text().notNull(),
    receivedAt: integer("received_at").notNull(),
    skipped: integer().notNull().default(0),
  },
);

export const dmarcSources = keyedTable(
  "dmarc_sources",
  ["workspace", "day", "domainId", "source", "aligned", "disposition"],
  {
    ...key,
    source: text().notNull(),
    aligned: integer().notNull(),
    disposition: text().notNull(),
    messages: integer().notNull(),
  },
);

export const tlsSessions = keyedTable("tls_sessions", ["workspace", "day", "domainId", "failure", "server"], {
  ...key,
  failure: text().notNull(),
  server: text().notNull(),
  sessions: integer().notNull(),
});
