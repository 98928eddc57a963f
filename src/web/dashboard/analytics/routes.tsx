import type { CallerCtx } from "../../../access/caller.ts";
import {
  getBroadcastResults,
  listBroadcasts,
  toBroadcastAnalytics,
  toRecord,
} from "../../../audience/broadcasts/index.ts";
import { listDomains } from "../../../domains/domains/index.ts";
import { newRoutes } from "../../../http/env.ts";
import { respondPage } from "../../../http/page.tsx";
import { pageFor } from "../../../http/page-routes.ts";
import { HOUR_MS } from "../../../lib/time.ts";
import {
  bucketsOf,
  type Counts,
  countFiltered,
  findDomains,
  findTotals,
  granularities,
  type Hours,
  hoursOf,
  hoursOfDays,
  hoursPerBucket,
  MAX_DAYS,
  NO_COUNTS,
  periods,
  rank,
  sumBy,
  sumCounts,
  toDeliverability,
  toPoint,
} from "../../../sending/analytics/index.ts";
import { BroadcastResultsPage } from "./broadcast.tsx";
import { AnalyticsPage, type Choice, type Report } from "./page.tsx";

/** Domains of the workspace among which one is chosen, and recipient domains and broadcasts that the page shows. */
const MAX_SENDERS = 200;
const SHOWN_DOMAINS = 20;
const SHOWN_BROADCASTS = 10;

export const analyticsPages = newRoutes()
  .get("/app/analytics", ...pageFor("GET /v1/analytics/timeseries"), async (c) => {
    const caller = c.get("caller");
    const choice = readChoice(c.req.query(), caller.now());
    const findSenders = caller.actor.scopes.has("domains:view")
      ? listDomains(caller, { offset: 0, limit: MAX_SENDERS })
      : [];
    const [report, domains] = await Promise.all(["error" in choice ? null : findReport(caller, choice), findSenders]);
    const shown = "error" in choice ? { choice: null, error: choice.error } : { choice };
    const page = <AnalyticsPage {...shown} report={report} senders={domains.map(({ domain }) => domain.name)} />;
    return respondPage(c, page, { status: report === null ? 400 : 200 });
  })
  .get(
    "/app/analytics/broadcasts/:broadcast_id",
    ...pageFor("GET /v1/analytics/broadcasts/:broadcast_id"),
    async (c) => {
      const results = await getBroadcastResults(c.get("caller"), c.req.param("broadcast_id"));
      return respondPage(c, <BroadcastResultsPage results={toBroadcastAnalytics(results)} />);
    },
  );

/** Returns the chosen time and step, or why the choice is not valid. */
function readChoice(
  { period: name = "30d", by, from = "", to = "", most, ...query }: Record<string, string>,
  now: number,
): Choice | { error: string } {
  const period = periods.find((known) => known === name);
  if (period === undefined) return { error: "Choose one of these periods." };
  const hours = from === "" && to === "" ? hoursOf(period, now) : hoursOfDays(from, to, now);
  if (hours === null) return { error: `Choose two days, at most ${MAX_DAYS} from the first to the last.` };
  const canShowHours = hours.last - hours.first < 24 * 7;
  const step = by ?? (hours.last - hours.first < 24 ? "hour" : "day");
  const known = granularities.find((one) => one === step);
  if (known === undefined) return { error: "Choose one of these steps." };
  if (known === "hour" && !canShowHours) return { error: "Hours are shown for at most 7 days." };
  return {
    period: from === "" && to === "" ? period : null,
    from,
    to,
    hours,
    by: known,
    canShowHours,
    most: most === "bounced" ? most : "sent",
    filter: { domain: query.domain ?? "", tag: query.tag ?? "", receiver: query.receiver?.trim() ?? "" },
  };
}

/** Reads what the page shows: one query for the series and the time before, one for the domains, one for the broadcasts. */
async function findReport(caller: CallerCtx, choice: Choice): Promise<Report> {
  const { hours, by, most, filter } = choice;
  if (Object.values(filter).some((value) => value !== "")) return findFiltered(caller, choice);
  const maySeeBroadcasts = caller.actor.scopes.has("broadcasts:view");
  const size = hoursPerBucket(by);
  const [totals, earlier, domains, broadcasts] = await Promise.all([
    findTotals(caller, hours, size),
    findTotals(caller, hoursBefore(hours), size),
    findDomains(caller, hours, SHOWN_DOMAINS, most),
    maySeeBroadcasts ? listBroadcasts(caller, { limit: SHOWN_BROADCASTS }) : null,
  ]);
  const records = broadcasts?.broadcasts.map((row) => toRecord(caller.workspace.id, row)) ?? null;
  return {
    ...toReport(totals, choice),
    before: sumCounts([...earlier.values()]),
    countedFrom: null,
    domains: domains.map(toDeliverability),
    broadcasts: records?.filter(({ status }) => status !== "draft" && status !== "scheduled") ?? null,
  };
}

const hoursBefore = ({ first, last }: Hours): Hours => ({ first: 2 * first - last - 1, last: first - 1 });

const toReport = (totals: ReadonlyMap<number, Counts>, { hours, by }: Choice) => ({
  counts: sumCounts([...totals.values()]),
  points: bucketsOf(hours, by).map((bucket) => toPoint(totals.get(bucket) ?? NO_COUNTS, bucket, by)),
});

/** Reads what the page shows of some mail. It has no broadcasts. */
async function findFiltered(caller: CallerCtx, choice: Choice): Promise<Report> {
  const { hours, by, most, filter } = choice;
  const size = hoursPerBucket(by);
  const [{ rows, countedFrom }, earlier] = await Promise.all([
    countFiltered(caller, hours, filter, size),
    countFiltered(caller, hoursBefore(hours), filter, size),
  ]);
  const first = countedFrom === null ? hours.first : Math.max(hours.first, Math.floor(countedFrom / HOUR_MS));
  const totals = sumBy(rows, ({ hour }) => Math.floor(hour / size));
  const byDomain = sumBy(rows, ({ domain }) => domain);
  return {
    ...toReport(totals, { ...choice, hours: { ...hours, first } }),
    before: countedFrom === null && earlier.countedFrom === null ? sumCounts(earlier.rows) : null,
    countedFrom,
    domains: rank(byDomain, most).slice(0, SHOWN_DOMAINS).map(toDeliverability),
    broadcasts: null,
  };
}
