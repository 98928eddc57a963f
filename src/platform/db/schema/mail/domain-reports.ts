import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

const key = { workspace: integer().notNull(), day: integer().notNull(), domainId: text("domain_id").notNull() };

export const domainReports = sqliteTable(
  "domain_reports",
  {
    ...key,
    kind: text({ enum: ["dmarc", "tls"] }).notNull(),
    organization: text().notNull(),
    reportId: text("report_id").notNull(),
    id: text().notNull(),
    receivedAt: integer("received_at").notNull(),
  },
  (t) => [primaryKey({ columns: [t.workspace, t.day, t.domainId, t.kind, t.organization, t.reportId] })],
);

export const dmarcSources = sqliteTable(
  "dmarc_sources",
  {
    ...key,
    source: text().notNull(),
    aligned: integer().notNull(),
    disposition: text().notNull(),
    messages: integer().notNull(),
  },
  (t) => [primaryKey({ columns: [t.workspace, t.day, t.domainId, t.source, t.aligned, t.disposition] })],
);

export const tlsSessions = sqliteTable(
  "tls_sessions",
  { ...key, failure: text().notNull(), server: text().notNull(), sessions: integer().notNull() },
  (t) => [primaryKey({ columns: [t.workspace, t.day, t.domainId, t.failure, t.server] })],
);
