import * as z from "zod";
import { newRoutes } from "../../http/env.ts";
import { operationsOf, responses } from "../../http/openapi.ts";
import { offsetQuery } from "../../http/pagination.ts";
import { query } from "../../http/validate.ts";
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

const operation = operationsOf("Analytics");

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

export const analyticsRoutes = newRoutes()
  .get(
    "/v1/analytics/overview",
    operation("analytics:view", "getAnalyticsOverview", {
      summary: "Count the mail of a period",
      description: ofWorkspace,
      responses: responses(200, "The counts", OverviewOut, [400, 403]),
    }),
    query(PeriodQuery),
    async (c) => {
      const of = parsePeriod(c.req.valid("query").period);
      const hours = hoursOf(of, c.get("caller").now());
      const totals = await findTotals(c.get("caller"), hours, hoursPerBucket("day"));
      return c.json(toOverview(sumCounts([...totals.values()]), of));
    },
  )
  .get(
    "/v1/analytics/timeseries",
    operation("analytics:view", "getAnalyticsTimeseries", {
      summary: "Count the mail of a period by hour or day",
      description: `${ofWorkspace} The first day has only the hours of it that belong to the period.`,
      responses: responses(200, "The buckets", TimeseriesOut, [400, 403]),
    }),
    query(SeriesQuery),
    async (c) => {
      const { period: text, granularity } = c.req.valid("query");
      const of = parsePeriod(text);
      const hours = hoursOf(of, c.get("caller").now());
      const totals = await findTotals(c.get("caller"), hours, hoursPerBucket(granularity));
      const data = bucketsOf(hours, granularity).map((bucket) =>
        toPoint(totals.get(bucket) ?? NO_COUNTS, bucket, granularity),
      );
      return c.json({ data, period: of, granularity });
    },
  )
  .get(
    "/v1/analytics/domain-stats",
    operation("analytics:view", "getAnalyticsDomainStats", {
      summary: "Rank recipient domains by emails sent",
      description: ofWorkspace,
      responses: responses(200, "The domains, those with the most mail first", z.array(DomainStatsOut), [400, 403]),
    }),
    query(DomainStatsQuery),
    async (c) => {
      const { period: text, limit, group_by: by } = c.req.valid("query");
      const hours = hoursOf(parsePeriod(text), c.get("caller").now());
      const find = by === "receiver" ? findReceivers : findDomains;
      return c.json((await find(c.get("caller"), hours, limit)).map(toDomainStats));
    },
  )
  .get(
    "/v1/analytics/deliverability",
    operation("analytics:view", "getAnalyticsDeliverability", {
      summary: "Get bounce, complaint and deferral rates by recipient domain",
      description: ofWorkspace,
      responses: responses(200, "The domains, those with the most mail first", DeliverabilityOut, [400, 403]),
    }),
    query(DomainQuery),
    async (c) => {
      const { period: text, limit } = c.req.valid("query");
      const of = parsePeriod(text);
      const found = await findDomains(c.get("caller"), hoursOf(of, c.get("caller").now()), limit);
      return c.json({ period: of, items: found.map(toDeliverability) });
    },
  );
