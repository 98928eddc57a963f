import * as z from "zod";
import { apiRoutes } from "../../http/api-routes.ts";
import { offsetQuery } from "../../http/pagination.ts";
import { badRequest } from "../../lib/errors.ts";
import { findDomains, findReceivers, findTotals, NO_COUNTS, sumCounts } from "./queries.ts";
import { bucketsOf, granularities, hoursOf, hoursPerBucket, type Period, periods } from "./rules.ts";
import {
  DeliverabilityOut,
  DomainStatsOut,
  OverviewOut,
  TimeseriesOut,
  toDeliverability,
  toDomainStats,
  toOverview,
  toPoint,
} from "./schema.ts";

// A wrong period is a 400 (docs/contract/analytics.md#periods), so the schema takes any text.
const period = z
  .string()
  .default("30d")
  .meta({ enum: [...periods], default: "30d" })
  .describe("24, or 7, 30 or 90 times 24 hours that end with the current hour. Any other value returns 400.");
const PeriodQuery = z.object({ period });
const SeriesQuery = z.object({
  period,
  granularity: z.enum(granularities, "granularity must be hour or day").default("day"),
});
const DomainQuery = z.object({ period, limit: offsetQuery({ default: 20, max: 100 }).limit });
const DomainStatsQuery = DomainQuery.extend({
  group_by: z
    .enum(["domain", "receiver"], "group_by must be domain or receiver")
    .default("domain")
    .describe("`receiver`: the domains of one mail system, such as `google`, are one, where an egress has told it."),
});

function parsePeriod(text: string): Period {
  const found = periods.find((name) => name === text);
  if (found === undefined) throw badRequest(`period must be one of ${periods.join(", ")}`);
  return found;
}

const ofWorkspace =
  "Counts recipients; opens and clicks are emails, each once. Returns 403 to an API key that is restricted to domains, since the counts cover the whole workspace. An event counts at its own time.";

export const analyticsRoutes = apiRoutes("Analytics")
  .get("/v1/analytics/overview", "getAnalyticsOverview", "analytics:view", {
    summary: "Count the mail of a period",
    description: ofWorkspace,
    query: PeriodQuery,
    returns: { 200: ["The counts", OverviewOut] },
    errors: [400],
    run: async (caller, { query }) => {
      const of = parsePeriod(query.period);
      const totals = await findTotals(caller, hoursOf(of, caller.now()), hoursPerBucket("day"));
      return toOverview(sumCounts([...totals.values()]), of);
    },
  })
  .get("/v1/analytics/timeseries", "getAnalyticsTimeseries", "analytics:view", {
    summary: "Count the mail of a period by hour or day",
    description: `${ofWorkspace} The first day has only the hours of it that belong to the period.`,
    query: SeriesQuery,
    returns: { 200: ["The buckets", TimeseriesOut] },
    errors: [400],
    run: async (caller, { query }) => {
      const { period: text, granularity } = query;
      const of = parsePeriod(text);
      const hours = hoursOf(of, caller.now());
      const totals = await findTotals(caller, hours, hoursPerBucket(granularity));
      const data = bucketsOf(hours, granularity).map((bucket) =>
        toPoint(totals.get(bucket) ?? NO_COUNTS, bucket, granularity),
      );
      return { data, period: of, granularity };
    },
  })
  .get("/v1/analytics/domain-stats", "getAnalyticsDomainStats", "analytics:view", {
    summary: "Rank recipient domains by emails sent",
    description: ofWorkspace,
    query: DomainStatsQuery,
    returns: { 200: ["The domains, those with the most mail first", z.array(DomainStatsOut)] },
    errors: [400],
    run: async (caller, { query }) => {
      const { period: text, limit, group_by: by } = query;
      const hours = hoursOf(parsePeriod(text), caller.now());
      const find = by === "receiver" ? findReceivers : findDomains;
      return (await find(caller, hours, limit)).map(toDomainStats);
    },
  })
  .get("/v1/analytics/deliverability", "getAnalyticsDeliverability", "analytics:view", {
    summary: "Get bounce, complaint and deferral rates by recipient domain",
    description: ofWorkspace,
    query: DomainQuery,
    returns: { 200: ["The domains, those with the most mail first", DeliverabilityOut] },
    errors: [400],
    run: async (caller, { query }) => {
      const { period: text, limit } = query;
      const of = parsePeriod(text);
      const found = await findDomains(caller, hoursOf(of, caller.now()), limit);
      return { period: of, items: found.map(toDeliverability) };
    },
  });
