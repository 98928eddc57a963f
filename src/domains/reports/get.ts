import type { CallerCtx } from "../../access/caller.ts";
import { type DomainRow, getDomain, reportAddress } from "../domains/index.ts";
import { sharedTarget, tlsReportsValue } from "../zones/index.ts";
import { dmarcAdvice } from "./advice.ts";
import { nameSources } from "./name-sources.ts";
import { sumDmarcReports, sumTlsReports } from "./queries.ts";
import type { Period } from "./rules.ts";
import { type ReportsOut, toDmarcReports, toTlsReports } from "./schema.ts";

/** Returns what receivers report about a domain of the caller's workspace. Throws 404. */
export async function getReports(
  ctx: CallerCtx,
  id: string,
  { kind, period }: { kind: "dmarc" | "tls"; period: Period },
): Promise<ReportsOut> {
  return getReportsOn(ctx, await getDomain(ctx, id), { kind, period });
}

/** Messages of 30 days that receivers report, how many of them are aligned, and what to do before a stricter policy. */
export interface DmarcSummary {
  messages: number;
  aligned: number;
  advice: string;
}

/** Returns the sums of the DMARC reports on a domain. One D1 call, and no DNS query. */
export async function getDmarcSummary(ctx: CallerCtx, domain: Pick<DomainRow, "id">): Promise<DmarcSummary> {
  const { days } = await sumDmarcReports(ctx, domain.id, "30d");
  const messages = days.reduce((sum, day) => sum + day.messages, 0);
  const aligned = days.reduce((sum, day) => sum + day.aligned, 0);
  return { messages, aligned, advice: dmarcAdvice({ days: days.length, messages, aligned }) };
}

/** Returns what receivers report about this domain. One D1 call. */
export async function getReportsOn(
  ctx: CallerCtx,
  domain: Pick<DomainRow, "id" | "name" | "setup">,
  { kind, period }: { kind: "dmarc" | "tls"; period: Period },
): Promise<ReportsOut> {
  const now = ctx.now();
  if (kind === "tls") {
    const record = tlsReportRecord(ctx.settings, domain);
    return toTlsReports(await sumTlsReports(ctx, domain.id, period), record, period, now);
  }
  const sums = await sumDmarcReports(ctx, domain.id, period);
  const sources = sums.sources.map(({ source }) => source);
  const names = await nameSources(ctx, sources);
  return toDmarcReports(sums, names, period, now);
}

/** Returns the record that asks for TLS reports (RFC 8460 3), as a line. */
function tlsReportRecord(
  { bounceDomain, delegatedZones }: CallerCtx["settings"],
  { id, name, setup }: Pick<DomainRow, "id" | "name" | "setup">,
): string {
  const zone = setup === "delegated" ? delegatedZones[0]?.name : undefined;
  return zone === undefined
    ? `_smtp._tls.${name} "${tlsReportsValue(reportAddress(id, bounceDomain))}"`
    : `_smtp._tls.${name} CNAME ${sharedTarget("_smtp._tls", zone)}`;
}
