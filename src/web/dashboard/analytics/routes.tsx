import type { CallerCtx } from "../../../access/caller.ts";
import {
  getBroadcastResults,
  listBroadcasts,
  toBroadcastAnalytics,
  toRecord,
} from "../../../audience/broadcasts/index.ts";
import { newRoutes } from "../../../http/env.ts";
import { respondPage } from "../../../http/page.tsx";
import { pageFor } from "../../../http/page-routes.ts";
import {
  bucketsOf,
  findDomains,
  findTotals,
  type Granularity,
  granularities,
  hoursOf,
  hoursPerBucket,
  NO_COUNTS,
  type Period,
  periods,
  sumCounts,
  toDeliverability,
  toOverview,
  toPoint,
} from "../../../sending/analytics/index.ts";
import { BroadcastResultsPage } from "./broadcast.tsx";
import { AnalyticsPage, canShowHours, type Report } from "./page.tsx";

/** Recipient domains, and broadcasts, that the page shows. */
const SHOWN_DOMAINS = 20;
const SHOWN_BROADCASTS = 10;

export const analyticsPages = newRoutes()
  .get("/app/analytics", ...pageFor("GET /v1/analytics/timeseries"), async (c) => {
    const caller = c.get("caller");
    const choice = readChoice(c.req.query("period"), c.req.query("by"));
    if ("error" in choice) {
      const page = <AnalyticsPage period="30d" by="day" report={null} error={choice.error} />;
      return respondPage(c, page, { status: 400 });
    }
    const report = await findReport(caller, choice);
    return respondPage(c, <AnalyticsPage {...choice} report={report} />);
  })
  .get(
    "/app/analytics/broadcasts/:broadcast_id",
    ...pageFor("GET /v1/analytics/broadcasts/:broadcast_id"),
    async (c) => {
      const results = await getBroadcastResults(c.get("caller"), c.req.param("broadcast_id"));
      const page = <BroadcastResultsPage results={toBroadcastAnalytics(results)} />;
      return respondPage(c, page);
    },
  );

/** Returns the chosen period and step, or why the choice is not valid. */
function readChoice(
  period = "30d",
  by = period === "24h" ? "hour" : "day",
): { period: Period; by: Granularity } | { error: string } {
  const known = periods.find((name) => name === period);
  const step = granularities.find((name) => name === by);
  if (known === undefined || step === undefined) return { error: "Choose one of these periods." };
  if (step === "hour" && !canShowHours(known)) return { error: "Hours are shown for at most 7 days." };
  return { period: known, by: step };
}

/** Reads what the page shows: one query for the series, one for the domains, one for the broadcasts. */
async function findReport(caller: CallerCtx, { period, by }: { period: Period; by: Granularity }): Promise<Report> {
  const hours = hoursOf(period, caller.now());
  const maySeeBroadcasts = caller.actor.scopes.has("broadcasts:view");
  const [totals, domains, broadcasts] = await Promise.all([
    findTotals(caller, hours, hoursPerBucket(by)),
    findDomains(caller, hours, SHOWN_DOMAINS),
    maySeeBroadcasts ? listBroadcasts(caller, { limit: SHOWN_BROADCASTS }) : null,
  ]);
  const records = broadcasts?.broadcasts.map((row) => toRecord(caller.workspace.id, row)) ?? null;
  return {
    overview: toOverview(sumCounts([...totals.values()]), period),
    points: bucketsOf(hours, by).map((bucket) => toPoint(totals.get(bucket) ?? NO_COUNTS, bucket, by)),
    domains: domains.map(toDeliverability),
    broadcasts: records?.filter(({ status }) => status !== "draft" && status !== "scheduled") ?? null,
  };
}
