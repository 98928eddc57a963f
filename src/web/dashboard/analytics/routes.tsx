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
  granularities,
  hoursOf,
  hoursOfDays,
  hoursPerBucket,
  MAX_DAYS,
  NO_COUNTS,
  periods,
  sumCounts,
  toDeliverability,
  toPoint,
} from "../../../sending/analytics/index.ts";
import { BroadcastResultsPage } from "./broadcast.tsx";
import { AnalyticsPage, type Choice, type Report } from "./page.tsx";

/** Recipient domains, and broadcasts, that the page shows. */
const SHOWN_DOMAINS = 20;
const SHOWN_BROADCASTS = 10;

export const analyticsPages = newRoutes()
  .get("/app/analytics", ...pageFor("GET /v1/analytics/timeseries"), async (c) => {
    const caller = c.get("caller");
    const choice = readChoice(c.req.query(), caller.now());
    if ("error" in choice)
      return respondPage(c, <AnalyticsPage choice={null} report={null} error={choice.error} />, { status: 400 });
    return respondPage(c, <AnalyticsPage choice={choice} report={await findReport(caller, choice)} />);
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

/** Returns the chosen time and step, or why the choice is not valid. */
function readChoice(
  { period: name = "30d", by, from = "", to = "", most }: Record<string, string>,
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
  };
}

/** Reads what the page shows: one query for the series and the time before, one for the domains, one for the broadcasts. */
async function findReport(caller: CallerCtx, { hours, by, most }: Choice): Promise<Report> {
  const maySeeBroadcasts = caller.actor.scopes.has("broadcasts:view");
  const size = hoursPerBucket(by);
  const before = { first: 2 * hours.first - hours.last - 1, last: hours.first - 1 };
  const [totals, earlier, domains, broadcasts] = await Promise.all([
    findTotals(caller, hours, size),
    findTotals(caller, before, size),
    findDomains(caller, hours, SHOWN_DOMAINS, most),
    maySeeBroadcasts ? listBroadcasts(caller, { limit: SHOWN_BROADCASTS }) : null,
  ]);
  const records = broadcasts?.broadcasts.map((row) => toRecord(caller.workspace.id, row)) ?? null;
  return {
    counts: sumCounts([...totals.values()]),
    before: sumCounts([...earlier.values()]),
    points: bucketsOf(hours, by).map((bucket) => toPoint(totals.get(bucket) ?? NO_COUNTS, bucket, by)),
    domains: domains.map(toDeliverability),
    broadcasts: records?.filter(({ status }) => status !== "draft" && status !== "scheduled") ?? null,
  };
}
