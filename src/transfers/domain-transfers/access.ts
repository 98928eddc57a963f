import type { CallerCtx } from "../../access/caller.ts";
import { addressKey } from "../../lib/addresses.ts";
import { transferError } from "./errors.ts";
import type { TransferRow } from "./queries.ts";

/** Throws 403 unless the transfer was sent to the caller's account. */
export function requireRecipient(ctx: CallerCtx, transfer: TransferRow): void {
  if (addressKey(ctx.actor.email) !== transfer.targetEmailKey) throw transferError("wrong_recipient");
}

/** Throws 404 unless the caller's user initiated the transfer, in the workspace that it acts in. */
export function requireInitiator(ctx: CallerCtx, transfer: TransferRow): void {
  const { actor, workspace } = ctx;
  const isOwn = transfer.sourceUserId === actor.userId && transfer.sourceWorkspace === workspace.number;
  if (!isOwn || !permits(ctx, transfer)) throw transferError("not_found");
}

const permits = ({ actor }: CallerCtx, { domainId }: TransferRow) => actor.domainIds?.has(domainId) ?? true;

const FIND_RIGHT = "SELECT 1 FROM memberships WHERE workspace = ?1 AND user_id = ?2 AND role IN ('owner', 'admin')";

/** Throws 404 unless the caller may manage the domains of the source workspace, in which any credential but a session must act. */
export async function requireSource(ctx: CallerCtx, transfer: TransferRow): Promise<void> {
  const { actor, workspace } = ctx;
  const isInReach = actor.kind === "session" || workspace.number === transfer.sourceWorkspace;
  if (!isInReach || !permits(ctx, transfer)) throw transferError("not_found");
  const right = ctx.db.prepare(FIND_RIGHT).bind(transfer.sourceWorkspace, actor.userId);
  if ((await right.first()) === null) throw transferError("not_found");
}
