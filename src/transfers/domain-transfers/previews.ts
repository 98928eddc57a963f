import type { CallerCtx } from "../../access/caller.ts";
import { requireRecipient, requireSource } from "./access.ts";
import { requireTransition } from "./errors.ts";
import { countMoves } from "./moves.ts";
import { getTransfer, type TransferRow } from "./queries.ts";
import { findMoved } from "./requirements.ts";
import { listTargets } from "./targets.ts";
import { tokenRef } from "./tokens.ts";

/** Returns what the page of an accept link shows, without changing anything. Throws what an acceptance would throw. */
export async function previewAccept(ctx: CallerCtx, token: string) {
  const { transfer } = await getTransfer(ctx, await tokenRef(ctx, "accept", token));
  requireRecipient(ctx, transfer);
  requireTransition(transfer, "accept", ctx.now());
  const { sourceWorkspace: workspace, reversedName } = transfer;
  const [moved, targets] = await Promise.all([findMoved(ctx, { workspace, reversedName }), listTargets(ctx)]);
  return {
    transfer,
    moves: await countMoves(ctx, moved),
    targets: targets.filter(({ number }) => number !== workspace),
  };
}

/** Returns the transfer of a stop link, without changing anything. Throws what a stop would throw. */
export async function previewStop(ctx: CallerCtx, token: string): Promise<TransferRow> {
  const { transfer } = await getTransfer(ctx, await tokenRef(ctx, "stop", token));
  await requireSource(ctx, transfer);
  requireTransition(transfer, "stop", ctx.now());
  return transfer;
}
