import type { MailCtx } from "../../platform/context.ts";
import { addMetrics } from "../../platform/daily-metrics/index.ts";
import type { EmailUpdate } from "../emails/index.ts";
import { deferralReason } from "./deferral-reason.ts";

/** Counts outcomes for the metrics line of the batch, and the reasons of deferrals also for the metrics of today. */
export function countOutcomes(ctx: MailCtx, updates: readonly EmailUpdate[]): void {
  for (const { on, metadata } of updates.flatMap(({ facts }) => facts)) {
    const name = on === "deferred" ? (`deferred.${deferralReason(metadata)}` as const) : on;
    if (name !== on) addMetrics(ctx, { [name]: 1 });
    ctx.counts?.set(name, (ctx.counts.get(name) ?? 0) + 1);
  }
}
