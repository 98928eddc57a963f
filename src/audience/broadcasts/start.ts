import { HOUR_MS } from "../../lib/time.ts";
import { notifyOwners } from "../../notices/notifications/index.ts";
import type { MailCtx } from "../../platform/context.ts";
import { PAUSE_WAIT_MS } from "../../sending/delivery/index.ts";
import { type BroadcastChanges, updateStatement } from "./change.ts";
import { checkPromotion, checkStart } from "./check-start.ts";
import { type AutoPromote, chooseWinner } from "./choose-winner.ts";
import { type FanOut, serializeFanOut, toRemainder } from "./fan-out.ts";
import type { Broadcast, BroadcastRow } from "./queries.ts";
import { findVariants } from "./variants/queries.ts";
import type { WorkspaceState } from "./workspace-state.ts";

/**
 * Starts a scheduled broadcast that is due. It waits while the workspace is paused, and is cancelled with a notification when it cannot be
 * sent (docs/contract/broadcasts.md#what-a-broadcast-needs). Returns when to look again, in milliseconds since 1970, or null at once.
 */
export async function startDue(ctx: MailCtx, broadcast: Broadcast, workspace: WorkspaceState): Promise<number | null> {
  const { row } = broadcast;
  if (workspace.isPaused) return ctx.now() + PAUSE_WAIT_MS;
  const checked = await checkStart(ctx, broadcast, null);
  const errors = "errors" in checked ? checked.errors.map(({ msg }) => msg) : [];
  if (workspace.isRestricted) errors.push("The account is restricted and cannot send");
  if (errors.length === 0 && "fanOut" in checked) {
    await startStatement(ctx, row, checked.fanOut).run();
    return null;
  }
  // First, so that a crash between the two repeats it: a broadcast must not end without a word.
  await notifyOwners(ctx, row.workspace, {
    category: "sends",
    severity: "error",
    title: `The broadcast ${row.name} was not sent`,
    body: errors.join(" "),
    href: `/broadcasts/${row.id}`,
    key: `broadcast-not-sent ${row.id} ${row.version}`,
  });
  await updateStatement(ctx, row, { status: "cancelled" }).run();
  return null;
}

/** Returns the statement that starts a fan-out, unless a call or another run has changed the broadcast meanwhile. */
const startStatement = (ctx: MailCtx, row: BroadcastRow, fanOut: FanOut, changes: BroadcastChanges = {}) =>
  updateStatement(ctx, row, {
    ...changes,
    status: "sending",
    fan_out: serializeFanOut(fanOut),
    fan_out_step: row.fan_out_step + 1,
  });

/** Returns when the service promotes a variant by itself, in ms since 1970; null: it does not. */
export function autoPromoteAt({ row, fanOut }: Pick<Broadcast, "row" | "fanOut">): number | null {
  if (row.ab_auto_promote === null || row.ab_promoted_at !== null || row.status !== "sent" || row.sent_at === null)
    return null;
  if (!fanOut?.split?.isSample) return null;
  const { after_hours: hours } = JSON.parse(row.ab_auto_promote) as AutoPromote;
  return row.sent_at + hours * HOUR_MS;
}

/**
 * Promotes the winner of a sampled test whose time has come, and tells the owners which and why. Waits while the workspace is paused. When
 * the broadcast may not be sent any more, tells them that, and leaves the promotion to them. Returns when to look again, in ms since
 * 1970; 0: at once; null: nothing is left to do.
 */
export async function promoteDue(
  ctx: MailCtx,
  { row, fanOut, counts }: Broadcast & { fanOut: FanOut },
  workspace: WorkspaceState,
): Promise<number | null> {
  if (workspace.isPaused) return ctx.now() + PAUSE_WAIT_MS;
  const { min_lift: minLift } = JSON.parse(row.ab_auto_promote ?? "{}") as AutoPromote;
  const sender = await checkPromotion(ctx, { row, fanOut }, null);
  const variants = await findVariants(ctx, row.n);
  const chosen = chooseWinner(variants, minLift);
  const about = { category: "sends" as const, href: `/broadcasts/${row.id}`, key: `auto-promotion ${row.id}` };
  if (workspace.isRestricted || chosen === null || "error" in sender) {
    const problem = "error" in sender ? sender.error.msg : "It has no variants any more";
    const body = `${workspace.isRestricted ? "The account is restricted and cannot send" : problem}.`;
    const title = `No variant of ${row.name} was promoted`;
    await notifyOwners(ctx, row.workspace, { ...about, severity: "error", title, body });
    return null;
  }
  const { winner, reason } = chosen;
  const next = toRemainder({ row, fanOut, counts }, { variant: winner.n, variants, sender });
  // First, so that a crash between the two repeats it.
  const title = `${row.name}: the rest gets ${winner.label}`;
  await notifyOwners(ctx, row.workspace, { ...about, severity: "success", title, body: reason });
  const promoted = { ab_winner_variant_id: winner.id, ab_promoted_at: ctx.now(), ab_promotion_reason: reason };
  await startStatement(ctx, row, next, promoted).run();
  return 0;
}
