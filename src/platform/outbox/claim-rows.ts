import type { DatabaseKind, OutboxCtx, WakeUp } from "../context.ts";
import { type ClaimedRow, claimStatement, heldRowsStatement, type Lease } from "./lease.ts";

/**
 * Runs a claim. Each time its connection to D1 is lost, returns what `findHeld` reads under the lease: a claim that has
 * committed would keep its rows from every run for two minutes. A claim that holds nothing (null) is made again, once.
 */
export async function claimOrFindHeld<Claimed>(
  ctx: Pick<OutboxCtx, "log">,
  claim: () => Promise<Claimed>,
  findHeld: () => Promise<Claimed | null>,
): Promise<Claimed> {
  for (let isRepeated = false; ; isRepeated = true)
    try {
      return await claim();
    } catch (error) {
      ctx.log("outbox.claim.repeated", { error: String(error) });
      const held = await findHeld();
      if (held !== null) return held;
      if (isRepeated) throw error;
    }
}

/** Claims outbox rows, except those that another run has claimed, also when the connection to D1 is lost. */
export function claimRows<Kind extends DatabaseKind>(
  ctx: OutboxCtx<Kind>,
  rows: readonly WakeUp[],
  lease: Lease,
): Promise<ClaimedRow[]> {
  return claimOrFindHeld(
    ctx,
    async () => (await claimStatement(ctx, rows, lease).all<ClaimedRow>()).results,
    async () => {
      const { results: held } = await heldRowsStatement(ctx, lease).all<ClaimedRow>();
      return held.length > 0 ? held : null;
    },
  );
}
