import { keyedHashes, open } from "../../../lib/secret-box.ts";
import type { Ctx, MainStatement } from "../../../platform/context.ts";
import { expectChanges } from "../../../platform/db/batch.ts";
import { countFailure, retryLater } from "../../../platform/rate-limits/exact.ts";
import { failureLimits } from "../rules.ts";
import { matchTotp } from "./totp-code.ts";

/** Purpose under which TOTP secrets are encrypted; the id of the user is the context. */
export const TOTP_PURPOSE = "totp";
/** Purpose under which recovery codes are hashed. */
export const RECOVERY_PURPOSE = "recovery-code";

interface TotpRow {
  secret: string;
  last_step: number;
  enabled_at: number | null;
}

/** Returns the TOTP row of a user, or null. */
export const findTotp = (ctx: Ctx, userId: string): Promise<TotpRow | null> =>
  ctx.db.findRow<TotpRow>("SELECT secret, last_step, enabled_at FROM user_totp WHERE user_id = ?1", userId);

/** A correct code: the statements that use it up, for the batch of what it allows. */
export interface VerifiedCode {
  statements: MainStatement[];
  /** Removes the attempt from the limit of failures. Call it after the batch. */
  succeeded(): Promise<void>;
}

/**
 * Checks a TOTP code or, if `allowsRecovery`, a recovery code of a user. Wrong codes count against the limit of failures,
 * which throws 429. Returns null for a wrong code. A code works once: of concurrent uses one batch commits.
 */
export async function verifyCode(
  ctx: Ctx,
  userId: string,
  code: string,
  { ip, allowsRecovery = false }: { ip: string | null; allowsRecovery?: boolean },
): Promise<VerifiedCode | null> {
  const { exceeded, succeeded } = await countFailure(ctx, failureLimits(`totp ${userId}`, ip));
  if (exceeded) throw retryLater("Too many wrong codes", exceeded);
  const statements =
    (await useTotp(ctx, userId, code.replaceAll(" ", ""))) ??
    (allowsRecovery ? await useRecovery(ctx, userId, code) : null);
  return statements && { statements, succeeded };
}

async function useTotp(ctx: Ctx, userId: string, code: string): Promise<MainStatement[] | null> {
  const row = await findTotp(ctx, userId);
  if (!row) return null;
  const secret = await open(ctx.settings.masterKeys, TOTP_PURPOSE, userId, row.secret);
  const step = await matchTotp(secret, code, { now: ctx.now(), lastStep: row.last_step });
  if (step === null) return null;
  const use = ctx.db.prepare("UPDATE user_totp SET last_step = ?2 WHERE user_id = ?1 AND last_step < ?2");
  return [use.bind(userId, step), expectChanges(ctx.db, 1)];
}

async function useRecovery(ctx: Ctx, userId: string, code: string): Promise<MainStatement[] | null> {
  const hashes = JSON.stringify(await keyedHashes(ctx.settings.masterKeys, RECOVERY_PURPOSE, normalizeRecovery(code)));
  const ofCode = "user_id = ?1 AND hash IN (SELECT value FROM json_each(?2))";
  const known = await ctx.db.findRow(`SELECT 1 FROM recovery_codes WHERE ${ofCode}`, userId, hashes);
  if (!known) return null;
  return [ctx.db.prepare(`DELETE FROM recovery_codes WHERE ${ofCode}`).bind(userId, hashes), expectChanges(ctx.db, 1)];
}

/** Returns a recovery code without the hyphens and spaces that make it readable. */
export const normalizeRecovery = (code: string) => code.toUpperCase().replace(/[^A-Z2-7]/g, "");
