import type { MailCtx } from "../../platform/context.ts";
import { requireOpenStatement } from "../../platform/db/shard-workspaces.ts";
import { MAX_REPORTS_OF_DAY, MAX_ROWS_OF_DAY } from "./rules.ts";

/** Messages of a report from one server, with one result. */
export type DmarcSum = { source: string; aligned: number; disposition: string; messages: number };
/** Connections of a report that failed in one way; of those that did not, `failure` and `server` are empty. */
export type TlsSum = { failure: string; server: string; sessions: number };

/** The sums of a report. */
export type ReportRows = { kind: "dmarc"; sources: readonly DmarcSum[] } | { kind: "tls"; sessions: readonly TlsSum[] };

interface NewReport {
  workspace: { number: number; id: string };
  domainId: string;
  day: number;
  organization: string;
  reportId: string;
  /** Records of it that could not be read. */
  skipped: number;
  rows: ReportRows;
}

const INSERT = `
  INSERT OR IGNORE INTO domain_reports (workspace, day, domain_id, kind, organization, report_id, id, received_at, skipped)
  SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?10
   WHERE ?9 > (SELECT count(*) FROM domain_reports WHERE workspace = ?1 AND day = ?2 AND domain_id = ?3 AND kind = ?4)`;

// The report is the one that was just inserted: one that came before, or is one too many, adds nothing.
const IS_NEW =
  "EXISTS (SELECT 1 FROM domain_reports WHERE workspace = ?1 AND day = ?2 AND domain_id = ?3 AND kind = ?4 AND organization = ?5 AND report_id = ?6 AND id = ?7)";

const ADD_SOURCES = `
  INSERT INTO dmarc_sources (workspace, day, domain_id, source, aligned, disposition, messages)
  SELECT ?1, ?2, ?3, s.source, s.aligned, s.disposition, sum(s.messages) FROM (
    SELECT iif(j.key < ?9 - (SELECT count(*) FROM dmarc_sources WHERE workspace = ?1 AND day = ?2 AND domain_id = ?3) OR EXISTS (
      SELECT 1 FROM dmarc_sources k WHERE k.workspace = ?1 AND k.day = ?2 AND k.domain_id = ?3 AND k.source = j.value->>'source'),
      j.value->>'source', '') AS source, j.value->>'aligned' AS aligned, j.value->>'disposition' AS disposition, j.value->>'messages' AS messages
      FROM json_each(?8) j WHERE ${IS_NEW}) s GROUP BY s.source, s.aligned, s.disposition
  ON CONFLICT DO UPDATE SET messages = messages + excluded.messages`;

const ADD_SESSIONS = `
  INSERT INTO tls_sessions (workspace, day, domain_id, failure, server, sessions)
  SELECT ?1, ?2, ?3, s.failure, s.server, sum(s.sessions) FROM (
    SELECT j.value->>'failure' AS failure, iif(
      j.key < ?9 - (SELECT count(*) FROM tls_sessions WHERE workspace = ?1 AND day = ?2 AND domain_id = ?3),
      j.value->>'server', '') AS server, j.value->>'sessions' AS sessions
      FROM json_each(?8) j WHERE ${IS_NEW}) s GROUP BY s.failure, s.server
  ON CONFLICT DO UPDATE SET sessions = sessions + excluded.sessions`;

/** Counts a report, once, in one transaction. Throws ConcurrencyError when the workspace was deleted meanwhile. */
export async function saveReport(ctx: MailCtx, report: NewReport): Promise<void> {
  const { workspace, day, domainId, organization, reportId, skipped, rows } = report;
  const db = ctx.mail;
  const key = [workspace.number, day, domainId, rows.kind, organization, reportId, ctx.newId()] as const;
  const [add, values] = rows.kind === "dmarc" ? [ADD_SOURCES, rows.sources] : [ADD_SESSIONS, rows.sessions];
  await db.batch([
    requireOpenStatement(ctx, workspace),
    db.prepare(INSERT).bind(...key, ctx.now(), MAX_REPORTS_OF_DAY, skipped),
    db.prepare(add).bind(...key, JSON.stringify(values), MAX_ROWS_OF_DAY),
  ]);
}
