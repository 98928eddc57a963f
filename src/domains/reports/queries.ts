import type { CallerCtx } from "../../access/caller.ts";
import { dayOf } from "../../lib/time.ts";
import { PERIODS, type Period } from "./rules.ts";
import type { TlsSum } from "./save.ts";

/** Sources, reporters and failures that a response lists, those with most messages first. */
const MAX_LISTED = 50;

/** Sums of a server that sent mail with the domain in From. `source` is empty for those beyond the bound of a day. */
interface DmarcSource extends Record<"messages" | "dkim" | "spf" | "aligned" | "quarantined" | "rejected", number> {
  source: string;
}

type Reporter = { organization: string; reports: number; skipped: number };

/** Counts of a day, in days since 1970, UTC. */
type Day<Count extends string> = Record<"day" | Count, number>;

/** Returns SQL: the rows `t` of a domain on some days. Days are sought one by one, so a statement reads the rows of this domain only. */
export const ofDomain = (table: string) =>
  `json_each(?1) j CROSS JOIN ${table} t ON t.workspace = ?2 AND t.day = j.value AND t.domain_id = ?3`;

const REPORTERS = `
  SELECT t.organization, count(*) AS reports, sum(t.skipped) AS skipped FROM ${ofDomain("domain_reports")}
   WHERE t.kind = ?4 GROUP BY t.organization ORDER BY reports DESC, t.organization LIMIT ?5`;

const DMARC_DAYS = `
  SELECT t.day, sum(t.messages) AS messages, sum(iif(t.aligned > 0, t.messages, 0)) AS aligned,
         sum(iif(t.aligned & 1, t.messages, 0)) AS dkim
    FROM ${ofDomain("dmarc_sources")} GROUP BY t.day ORDER BY t.day`;

const DMARC_SOURCES = `
  SELECT t.source, sum(t.messages) AS messages, sum(iif(t.aligned & 1, t.messages, 0)) AS dkim,
         sum(iif(t.aligned & 2, t.messages, 0)) AS spf, sum(iif(t.aligned > 0, t.messages, 0)) AS aligned,
         sum(iif(t.disposition = 'quarantine', t.messages, 0)) AS quarantined,
         sum(iif(t.disposition = 'reject', t.messages, 0)) AS rejected
    FROM ${ofDomain("dmarc_sources")} GROUP BY t.source ORDER BY t.source = '', messages DESC, t.source LIMIT ?4`;

const TLS_DAYS = `
  SELECT t.day, sum(t.sessions) AS sessions, sum(iif(t.failure <> '', t.sessions, 0)) AS failed
    FROM ${ofDomain("tls_sessions")} GROUP BY t.day ORDER BY t.day`;

const TLS_FAILURES = `
  SELECT t.failure, t.server, sum(t.sessions) AS sessions FROM ${ofDomain("tls_sessions")}
   WHERE t.failure <> '' GROUP BY t.failure, t.server ORDER BY sessions DESC, t.failure, t.server LIMIT ?4`;

/** Returns the days of a period, today (UTC) included, oldest first. */
export function daysOf(period: Period, now: number): number[] {
  const today = dayOf(now);
  return Array.from({ length: PERIODS[period] }, (_, n) => today - PERIODS[period] + 1 + n);
}

/** Sums the DMARC reports on a domain of the caller's workspace. One D1 call; rows of the domain in these days are read. */
export async function sumDmarcReports(ctx: CallerCtx, domainId: string, period: Period) {
  const db = ctx.mail;
  const key = [JSON.stringify(daysOf(period, ctx.now())), ctx.workspace.number, domainId];
  const [reporters, days, sources] = await db.listEach<[Reporter, Day<"messages" | "aligned" | "dkim">, DmarcSource]>([
    db.prepare(REPORTERS).bind(...key, "dmarc", MAX_LISTED),
    db.prepare(DMARC_DAYS).bind(...key),
    db.prepare(DMARC_SOURCES).bind(...key, MAX_LISTED),
  ]);
  return { reporters, days, sources };
}

/** Sums the TLS reports on a domain of the caller's workspace, as `sumDmarcReports`. */
export async function sumTlsReports(ctx: CallerCtx, domainId: string, period: Period) {
  const db = ctx.mail;
  const key = [JSON.stringify(daysOf(period, ctx.now())), ctx.workspace.number, domainId];
  const [reporters, days, failures] = await db.listEach<[Reporter, Day<"sessions" | "failed">, TlsSum]>([
    db.prepare(REPORTERS).bind(...key, "tls", MAX_LISTED),
    db.prepare(TLS_DAYS).bind(...key),
    db.prepare(TLS_FAILURES).bind(...key, MAX_LISTED),
  ]);
  return { reporters, days, failures };
}
