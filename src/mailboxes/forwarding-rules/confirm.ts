import { findOneTimeToken, redeemStatements } from "../../access/tokens/one-time-tokens.ts";
import { onError } from "../../lib/errors.ts";
import { auditStatement } from "../../platform/audit/record.ts";
import type { Ctx } from "../../platform/context.ts";
import { ConcurrencyError, guardedBatch } from "../../platform/db/batch.ts";

/** A request to an outside address to take forwarded mail. */
export interface ForwardRequest {
  /** Number and name of the workspace that forwards. */
  workspace: number;
  name: string;
  email: string;
  /** The canonical form of the address. */
  key: string;
}

/** Returns the request of a mailed link, without confirming it. Null for a link that does not work, or no longer. */
export async function findForwardRequest(ctx: Ctx, token: string): Promise<ForwardRequest | null> {
  const found = await findOneTimeToken(ctx, "forward_target", token);
  return found && { ...(found.data as Omit<ForwardRequest, "key">), key: found.subject };
}

const CONFIRM = "UPDATE forward_targets SET confirmed_at = ?3 WHERE workspace = ?1 AND address = ?2";

/** Confirms an address by its mailed link: from now on the workspace may forward mail to it. Null as `findForwardRequest`. */
export async function confirmForwardRequest(
  ctx: Ctx,
  token: string,
  clientIp: string | null,
): Promise<ForwardRequest | null> {
  const request = await findForwardRequest(ctx, token);
  if (!request) return null;
  const { db, now, newId } = ctx;
  const entry = { action: "forward_target.confirmed" as const, target: request.email };
  const results = await guardedBatch(db, [
    ...(await redeemStatements(ctx, "forward_target", token)),
    db.prepare(CONFIRM).bind(request.workspace, request.key, now()),
    auditStatement({ db, now, newId, clientIp, actor: null, workspace: { number: request.workspace } }, entry),
  ]).catch(onError(ConcurrencyError, () => null));
  return results && request;
}
