import type { MailCtx, MailStatement } from "../../../platform/context.ts";
import { countedIds } from "./classify-hits.ts";
import type { MergeResult } from "./merge.ts";
import type { EmailState } from "./state.ts";

/** A merge of facts into an email, with the state before it. */
interface Merged extends Pick<MergeResult, "state" | "rollups"> {
  before: EmailState;
}

const statusCounts = ["delivered", "bounced", "failed", "cancelled"] as const;
/** Counts of the emails of a broadcast, as columns of `broadcast_counts`. */
export const resultCounts = ["attempted", ...statusCounts, "opened", "clicked", "unsubscribed", "complained"] as const;
type Counts = Record<(typeof resultCounts)[number], number>;

// The row exists since the fan-out made the email; it is gone when the broadcast was deleted.
const ADD_TO_COUNTS = `
  WITH j AS MATERIALIZED (SELECT value FROM json_each(?1))
  UPDATE broadcast_counts SET ${resultCounts.map((name) => `${name} = ${name} + (j.value->>'${name}')`).join(", ")}
  FROM j WHERE broadcast_counts.broadcast = j.value->>'broadcast' AND broadcast_counts.variant = j.value->>'variant'`;

const ADD_TO_CLICKS = `
  INSERT INTO broadcast_clicks (broadcast, url, workspace, clicks)
  SELECT b.n, value->>'url', b.workspace, value->>'clicks' FROM json_each(?1) JOIN broadcasts b ON b.n = value->>'broadcast'
   WHERE true
  ON CONFLICT DO UPDATE SET clicks = clicks + excluded.clicks`;

/** Returns the statements that add what changed in emails of broadcasts to the counts, for the transaction of the emails. */
export function broadcastCountStatements(ctx: MailCtx, merged: readonly Merged[]): MailStatement[] {
  const counts = sumCounts(merged);
  const clicks = sumClicks(merged);
  return [
    ...(counts.length > 0 ? [ctx.mail.prepare(ADD_TO_COUNTS).bind(JSON.stringify(counts))] : []),
    ...(clicks.length > 0 ? [ctx.mail.prepare(ADD_TO_CLICKS).bind(JSON.stringify(clicks))] : []),
  ];
}

function sumCounts(merged: readonly Merged[]): (Counts & { broadcast: number; variant: number })[] {
  const sums = new Map<string, Counts & { broadcast: number; variant: number }>();
  for (const { before, state, rollups } of merged) {
    if (typeof state.broadcast !== "number") continue;
    const [broadcast, variant] = [state.broadcast, state.variant ?? 0];
    const key = `${broadcast} ${variant}`;
    const zero = Object.fromEntries(resultCounts.map((name) => [name, 0])) as Counts;
    const sum = sums.get(key) ?? { broadcast, variant, ...zero };
    sum.attempted += Number(isAttempted(state)) - Number(isAttempted(before));
    // An email of a broadcast has one recipient and is in one of these counts at the end, so that they add up.
    if (state.status !== before.status) {
      for (const name of statusCounts) {
        sum[name] += Number(isResult[name](state)) - Number(isResult[name](before));
      }
    }
    // The increments of domain '' count emails, the others recipients.
    for (const { domain, opens, clicks, unsubscribed, complained } of rollups) {
      if (domain === "") {
        sum.opened += opens;
        sum.clicked += clicks;
      } else {
        sum.unsubscribed += unsubscribed;
        sum.complained += complained;
      }
    }
    sums.set(key, sum);
  }
  return [...sums.values()].filter((sum) => resultCounts.some((name) => sum[name] !== 0));
}

/** Returns whether an email had a delivery attempt, or will have none. */
const isAttempted = ({ attempts, status }: EmailState) => attempts > 0 || status !== "queued";

const isResult = {
  delivered: ({ status }: EmailState) => status === "delivered",
  bounced: ({ status }: EmailState) => status === "bounced",
  failed: ({ status }: EmailState) => status === "failed" || status === "rejected",
  cancelled: ({ status }: EmailState) => status === "cancelled",
};

/** Sums the clicks by people that each link gained or lost. */
function sumClicks(merged: readonly Merged[]): { broadcast: number; url: string; clicks: number }[] {
  const sums = new Map<string, { broadcast: number; url: string; clicks: number }>();
  for (const { before, state } of merged) {
    if (typeof state.broadcast !== "number") continue;
    for (const [events, change] of [[before.events, -1] as const, [state.events, 1] as const]) {
      const counted = countedIds(events, "click");
      for (const { metadata } of events.filter(({ id }) => counted.has(id))) {
        const url = String(metadata?.link ?? metadata?.url ?? "");
        const key = `${state.broadcast} ${url}`;
        const sum = sums.get(key) ?? { broadcast: state.broadcast, url, clicks: 0 };
        sums.set(key, { ...sum, clicks: sum.clicks + change });
      }
    }
  }
  return [...sums.values()].filter(({ clicks }) => clicks !== 0);
}
