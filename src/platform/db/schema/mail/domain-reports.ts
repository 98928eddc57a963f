import { integer, text } from "drizzle-orm/sqlite-core";
import { keyedTable } from "../both/keyed-table.ts";

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
