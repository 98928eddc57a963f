import * as z from "zod";
import { named, serialize } from "../../lib/serialize.ts";
import { iso } from "../../lib/time.ts";
import type { Counts } from "./queries.ts";
import { bucketStart, type Granularity, granularities, type Period, periods, rate } from "./rules.ts";

const count = z.int().min(0);
const share = z.number().min(0).max(1).nullable();
const period = z.enum(periods).describe("The period, which ends now. Its hours are those of UTC.");

const sent = count.describe("Recipients whose email was handed to the egress, or refused by it.");
/** The last known states of `sent` recipients, which never add up to more. */
const states = {
  delivered: count.describe("Of sent: taken, and not known to have bounced later."),
  bounced: count.describe("Of sent: hard bounces, where the address itself does not work."),
  soft_bounced: count.describe("Of sent: other permanent refusals, such as a full mailbox or a block."),
  failed: count.describe("Of sent: given up after the last attempt, or the message was refused."),
};

/** Fields of the overview. */
export const OverviewOut = z
  .object({
    total_sent: sent,
    ...states,
    unsent: count.describe(
      "Recipients whose email failed without being handed to the egress. They are not in total_sent.",
    ),
    opens: count.describe("Emails that a person opened, each once."),
    clicks: count.describe("Emails in which a person followed a link, each once."),
    complained: count.describe("Recipients that marked an email as spam."),
    deferred: count.describe("Recipients whose server deferred an email at least once."),
    unsubscribed: count.describe("Recipients that unsubscribed by an email."),
    period,
  })
  .meta(
    named("AnalyticsOverview", {
      total_sent: 1200,
      delivered: 1180,
      bounced: 12,
      soft_bounced: 6,
      failed: 1,
      unsent: 0,
      opens: 640,
      clicks: 210,
      complained: 0,
      deferred: 31,
      unsubscribed: 3,
      period: "30d",
    }),
  );
export type OverviewOut = z.output<typeof OverviewOut>;

const SeriesPoint = z.object({
  timestamp: z.string().meta({ format: "date-time" }).describe("Start of the bucket, in UTC."),
  sent,
  ...states,
  opens: count,
});

export const TimeseriesOut = z
  .object({
    data: z.array(SeriesPoint).describe("Every bucket of the period, oldest first, those without emails too."),
    period,
    granularity: z.enum(granularities),
  })
  .meta(
    named("AnalyticsTimeseries", {
      data: [
        {
          timestamp: "2026-11-20T00:00:00.000Z",
          sent: 40,
          delivered: 39,
          bounced: 1,
          soft_bounced: 0,
          failed: 0,
          opens: 20,
        },
        {
          timestamp: "2026-11-21T00:00:00.000Z",
          sent: 0,
          delivered: 0,
          bounced: 0,
          soft_bounced: 0,
          failed: 0,
          opens: 0,
        },
      ],
      period: "24h",
      granularity: "day",
    }),
  );
export type TimeseriesOut = z.output<typeof TimeseriesOut>;

const domain = z
  .string()
  .describe("Recipient domain. `other`: the domains beyond the 2,000 with the most mail of a day.");

export const DomainStatsOut = z.object({ domain, sent, ...states, opens: count, clicks: count }).meta(
  named("AnalyticsDomain", {
    domain: "example.org",
    sent: 400,
    delivered: 396,
    bounced: 3,
    soft_bounced: 1,
    failed: 0,
    opens: 210,
    clicks: 80,
  }),
);

export const DeliverabilityOut = z
  .object({
    period,
    items: z.array(
      z.object({
        domain,
        sent,
        refused: count.describe("Of sent: refused at once."),
        ...states,
        complained: count,
        deferred: count.describe("Recipients deferred at least once."),
        bounce_rate: share.describe("bounced of sent. null: none was sent."),
        complaint_rate: share.describe("complained of sent. null: none was sent."),
        deferral_rate: share.describe("deferred of sent. null: none was sent."),
      }),
    ),
  })
  .meta(
    named("AnalyticsDeliverability", {
      period: "30d",
      items: [
        {
          domain: "example.org",
          sent: 400,
          refused: 3,
          delivered: 395,
          bounced: 4,
          soft_bounced: 1,
          failed: 0,
          complained: 0,
          deferred: 8,
          bounce_rate: 0.01,
          complaint_rate: 0,
          deferral_rate: 0.02,
        },
      ],
    }),
  );
export type DeliverabilityOut = z.output<typeof DeliverabilityOut>;

/** Serializes the overview. */
export function toOverview(counts: Counts, of: Period): OverviewOut {
  return serialize(OverviewOut, { ...counts, total_sent: counts.sent, period: of });
}

/** Serializes one bucket. */
export function toPoint(counts: Counts, bucket: number, granularity: Granularity) {
  return serialize(SeriesPoint, { ...counts, timestamp: iso(bucketStart(bucket, granularity)) });
}

/** Serializes the counts of a recipient domain. */
export function toDomainStats([name, counts]: [string, Counts]) {
  return serialize(DomainStatsOut, { ...counts, domain: name });
}

/** Serializes the rates of a recipient domain. */
export function toDeliverability([name, counts]: [string, Counts]): DeliverabilityOut["items"][number] {
  const { sent: of, bounced, complained, deferred } = counts;
  return serialize(DeliverabilityOut.shape.items.element, {
    ...counts,
    domain: name,
    bounce_rate: rate(bounced, of),
    complaint_rate: rate(complained, of),
    deferral_rate: rate(deferred, of),
  });
}
