import type { MailCtx } from "../../../platform/context.ts";
import { addMetrics } from "../../../platform/daily-metrics/counters.ts";
import { logEmails } from "../../../platform/log-lines/log-emails.ts";
import type { Fact } from "../../emails/index.ts";
import { deferralReason } from "./deferral-reason.ts";

/** Logs written outcomes, counts them for the metrics of the batch, and reasons of deferrals for those of today. */
export function noteOutcomes(
  ctx: MailCtx,
  updates: readonly { mail: { state: { id: string }; requestId: string | null }; facts: readonly Fact[] }[],
): void {
  for (const { on, metadata } of updates.flatMap(({ facts }) => facts)) {
    const name = on === "deferred" ? (`deferred.${deferralReason(metadata)}` as const) : on;
    if (name !== on) addMetrics(ctx, { [name]: 1 });
    ctx.counts?.set(name, (ctx.counts.get(name) ?? 0) + 1);
  }
  const emails = updates.map(({ mail: { state, requestId }, facts }) => ({
    id: state.id,
    request_id: requestId,
    outcomes: [...new Set(facts.map(({ on }) => on))],
  }));
  logEmails(ctx, "delivery.outcomes", emails);
}
