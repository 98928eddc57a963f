import * as z from "zod";
import { iso } from "../../lib/time.ts";
import type { Counts } from "./queries.ts";
import { bucketStart, type Granularity, granularities, type Period, periods, rate } from "./rules.ts";

const count = z.int().min(0);
const share = z.number().min(0).max(1).nullable();
const period = z.enum(periods).describe("The period, which ends now. Its hours are those of UTC.");

/** Fields of the overview. */
export const OverviewOut = z
  .object({
    total_sent: count.describe("Emails that the server of a recipient accepted."),
    delivered: count,
    bounced: count.describe("Hard bounces."),
    failed: count,
    opens: count.describe("Emails that a person opened, each once."),
    clicks: count.describe("Emails in which a person followed a link, each once."),
    complained: count.describe("Emails that a recipient marked as spam."),
    deferred: count.describe("Emails that a recipient's server deferred at least once."),
    unsubscribed: count.describe("Emails by which a recipient unsubscribed."),
    period,
  })
  .meta({
    ref: "AnalyticsOverview",
    examples: [
      {
        ...{ total_sent: 1200, delivered: 1180, bounced: 12, failed: 1, opens: 640, clicks: 210 },
        ...{ complained: 0, deferred: 31, unsubscribed: 3, period: "30d" },
      },
    ],
  });
export type OverviewOut = z.output<typeof OverviewOut>;

const SeriesPoint = z.object({
  timestamp: z.string().meta({ format: "date-time" }).describe("Start of the bucket, in UTC."),
  sent: count,
  delivered: count,
  bounced: count,
  failed: count,
  opens: count,
});

export const TimeseriesOut = z
  .object({
    data: z.array(SeriesPoint).describe("Every bucket of the period, oldest first, those without emails too."),
    period,
    granularity: z.enum(granularities),
  })
  .meta({
    ref: "AnalyticsTimeseries",
    examples: [
      {
        data: [
          { timestamp: "2026-11-20T00:00:00.000Z", sent: 40, delivered: 39, bounced: 1, failed: 0, opens: 20 },
          { timestamp: "2026-11-21T00:00:00.000Z", sent: 0, delivered: 0, bounced: 0, failed: 0, opens: 0 },
        ],
        period: "24h",
        granularity: "day",
      },
    ],
  });
export type TimeseriesOut = z.output<typeof TimeseriesOut>;

const domain = z
  .string()
  .describe("Recipient domain. `other`: the domains beyond the 2,000 with the most mail of a day.");

export const DomainStatsOut = z
  .object({ domain, sent: count, delivered: count, bounced: count, opens: count, clicks: count })
  .meta({
    ref: "AnalyticsDomain",
    examples: [{ domain: "example.org", sent: 400, delivered: 396, bounced: 3, opens: 210, clicks: 80 }],
  });

export const DeliverabilityOut = z
  .object({
    period,
    items: z.array(
      z.object({
        domain,
        sent: count,
        refused: count.describe("Recipients that the server refused at once, which are not sent."),
        delivered: count,
        bounced: count,
        complained: count,
        deferred: count,
        bounce_rate: share.describe("bounced of sent and refused. null: none was."),
        complaint_rate: share.describe("complained of delivered. null: none was."),
        deferral_rate: share.describe(
          "Recipients deferred at least once, of sent, refused and failed. null: none was.",
        ),
      }),
    ),
  })
  .meta({
    ref: "AnalyticsDeliverability",
    examples: [
      {
        period: "30d",
        items: [
          {
            ...{ domain: "example.org", sent: 400, refused: 0, delivered: 396, bounced: 4, complained: 0, deferred: 8 },
            ...{ bounce_rate: 0.01, complaint_rate: 0, deferral_rate: 0.02 },
          },
        ],
      },
    ],
  });
export type DeliverabilityOut = z.output<typeof DeliverabilityOut>;

/** Serializes the overview. */
export function toOverview(counts: Counts, of: Period): OverviewOut {
  const { sent, delivered, bounced, failed, opens, clicks, complained, deferred, unsubscribed } = counts;
  return {
    ...{ total_sent: sent, delivered, bounced, failed, opens, clicks, complained, deferred, unsubscribed },
    period: of,
  };
}

/** Serializes one bucket. */
export function toPoint({ sent, delivered, bounced, failed, opens }: Counts, bucket: number, granularity: Granularity) {
  return { timestamp: iso(bucketStart(bucket, granularity)), sent, delivered, bounced, failed, opens };
}

/** Serializes the counts of a recipient domain. */
export function toDomainStats([name, { sent, delivered, bounced, opens, clicks }]: [string, Counts]) {
  return { domain: name, sent, delivered, bounced, opens, clicks };
}

/** Serializes the rates of a recipient domain. */
export function toDeliverability([name, counts]: [string, Counts]): DeliverabilityOut["items"][number] {
  const { sent, refused, delivered, bounced, complained, deferred, failed } = counts;
  return {
    ...{ domain: name, sent, refused, delivered, bounced, complained, deferred },
    bounce_rate: rate(bounced, sent + refused),
    complaint_rate: rate(complained, delivered),
    deferral_rate: rate(deferred, sent + Math.max(refused, failed)),
  };
}
