import type { Ctx } from "../../platform/context.ts";
import { readDailyMetrics, saveMetrics } from "../../platform/daily-metrics/save.ts";
import { DEFERRAL_REASONS } from "../../sending/delivery/index.ts";
import type { Metric } from "./rules.ts";

/** Metrics of today, each with its label and the values of that; the names of the counts are `<name>` or `<name>.<value>`. */
const METRICS: readonly { name: string; of: string; help: string; label?: string; values?: readonly string[] }[] = [
  { name: "email_deferrals", of: "deferred", help: "Recipients deferred", label: "reason", values: DEFERRAL_REASONS },
  { name: "email_delivery_runs", of: "runs", help: "Runs that claimed outbox rows" },
  { name: "email_claims", of: "claims", help: "Claims of outbox rows" },
  { name: "email_claimed_rows", of: "claimed_rows", help: "Outbox rows claimed" },
  { name: "email_claimed_emails", of: "claimed_emails", help: "Emails claimed" },
  {
    name: "email_d1_rows_written",
    of: "rows_written",
    help: "D1 rows written",
    label: "kind",
    values: ["main", "mail"],
  },
];

/** Returns the metrics of today (UTC), with what this isolate has counted until now. None when main fails. */
export async function readToday(ctx: Ctx): Promise<Metric[]> {
  await saveMetrics(ctx, 0);
  const counts = await readDailyMetrics(ctx).catch(() => null);
  if (!counts) return [];
  return METRICS.map(({ name, of, help, label, values }) => ({
    name: `${name}_today`,
    help: `${help} since 00:00 UTC.`,
    samples: label
      ? (values ?? []).map((value) => ({ labels: { [label]: value }, value: counts[`${of}.${value}`] ?? 0 }))
      : [{ value: counts[of] ?? 0 }],
  }));
}
