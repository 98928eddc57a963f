import type { OutboxCtx } from "../context.ts";
import type { DatabaseKind } from "../db/database.ts";
import { type ClaimedRow, claimStatement, heldRowsStatement, type Lease } from "./lease.ts";
import type { WakeUp } from "./wake.ts";

/**
 * Claims outbox rows, except those that another run has claimed. When the connection to D1 is lost, reads what the lease holds:
 * a claim that has committed would keep its rows from every run for two minutes. A claim that has not is made again, once.
 */
export async function claimRows<Kind extends DatabaseKind>(
  ctx: OutboxCtx<Kind>,
  rows: readonly WakeUp[],
  lease: Lease,
): Promise<ClaimedRow[]> {
  const claim = async () => (await claimStatement(ctx, rows, lease).all<ClaimedRow>()).results;
  try {
    return await claim();
  } catch (error) {
    ctx.log("outbox.claim.repeated", { error: String(error) });
    const { results: held } = await heldRowsStatement(ctx, lease).all<ClaimedRow>();
    return held.length > 0 ? held : claim();
  }
}
