import type { MailCtx } from "../context.ts";
import type { EmailUpdate } from "../emails/index.ts";

/** Counts outcomes, and the reasons of deferrals, for the metrics line of the batch. */
export function countOutcomes({ counts }: MailCtx, updates: readonly EmailUpdate[]): void {
  for (const { on, metadata } of counts ? updates.flatMap(({ facts }) => facts) : []) {
    const reason = on === "deferred" ? `.${metadata?.egress ?? metadata?.phase ?? "other"}` : "";
    counts?.set(on + reason, (counts.get(on + reason) ?? 0) + 1);
  }
}
