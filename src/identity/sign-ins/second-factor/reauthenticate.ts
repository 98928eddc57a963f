import type { CallerCtx } from "../../../access/caller.ts";
import { findOneTimeToken, redeemStatements } from "../../../access/tokens/one-time-tokens.ts";
import { parseAddress } from "../../../lib/addresses.ts";
import { forbidden } from "../../../lib/errors.ts";
import { expectChanges, guardedBatch } from "../../../platform/db/batch.ts";
import { findTotp, verifyCode } from "./verify.ts";

/**
 * Stamps the caller's session: its user has proved its identity again, by a TOTP code or by the token of a fresh sign-in link
 * to its address (docs/contract/sign-in.md#proof-of-identity). With TOTP on, only a code counts. Throws 403 for a wrong proof,
 * 429. Returns the time of the stamp, in ms since 1970.
 */
export async function reauthenticate(
  ctx: CallerCtx,
  proof: { code?: string; token?: string },
  ip: string | null,
): Promise<number> {
  const verified = await verifyProof(ctx, proof, ip);
  const now = ctx.now();
  const stamp = ctx.db.prepare("UPDATE sessions SET reauthenticated_at = ?2 WHERE id = ?1");
  await guardedBatch(ctx.db, [
    ...verified.statements,
    stamp.bind(ctx.actor.credentialId, now),
    expectChanges(ctx.db, 1),
  ]);
  await verified.succeeded();
  return now;
}

async function verifyProof(ctx: CallerCtx, { code, token }: { code?: string; token?: string }, ip: string | null) {
  const isOn = Boolean((await findTotp(ctx, ctx.actor.userId))?.enabled_at);
  if (code !== undefined) {
    const verified = isOn ? await verifyCode(ctx, ctx.actor.userId, code, { ip }) : null;
    if (!verified) throw forbidden("The code is wrong or was used before");
    return verified;
  }
  if (isOn) throw forbidden("Two-factor authentication is on; send a code");
  const link = token === undefined ? null : await findOneTimeToken(ctx, "magic_link", token);
  const isOwn = link !== null && parseAddress(link.subject)?.key === parseAddress(ctx.actor.email)?.key;
  if (!isOwn || token === undefined) throw forbidden("The sign-in link is invalid, or of another account");
  return { statements: await redeemStatements(ctx, "magic_link", token), succeeded: async () => {} };
}
