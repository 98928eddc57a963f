import type { CallerCtx } from "../../../access/caller.ts";
import { conflict, forbidden } from "../../../lib/errors.ts";
import { keyedHashes, seal } from "../../../lib/secret-box.ts";
import { auditStatement } from "../../../platform/audit/record.ts";
import { expectChanges, guardedBatch } from "../../../platform/db/batch.ts";
import { toBase32 } from "../../../platform/mail-tokens/base32.ts";
import { newTotpSecret } from "./totp-code.ts";
import { findTotp, normalizeRecovery, RECOVERY_PURPOSE, TOTP_PURPOSE, verifyCode } from "./verify.ts";

const RECOVERY_CODES = 10;

// A secret that is already confirmed stays: replacing it needs a code, by disabling it first.
const SAVE_SECRET = `
  INSERT INTO user_totp (user_id, secret, created_at) VALUES (?1, ?2, ?3)
  ON CONFLICT DO UPDATE SET secret = excluded.secret, created_at = excluded.created_at, last_step = 0
   WHERE enabled_at IS NULL`;

/** State of TOTP, and the number of recovery codes left. */
export type TotpStatus = Awaited<ReturnType<typeof readTotpStatus>>;

const READ_STATUS = `
  SELECT EXISTS (SELECT 1 FROM user_totp WHERE user_id = ?1 AND enabled_at IS NOT NULL) AS enabled,
         (SELECT count(*) FROM recovery_codes WHERE user_id = ?1) AS recoveryCodes`;

/** Returns the state of TOTP of the caller's user. */
export async function readTotpStatus(ctx: CallerCtx) {
  const row = await ctx.db.findRow<{ enabled: number; recoveryCodes: number }>(READ_STATUS, ctx.actor.userId);
  return { enabled: row?.enabled === 1, recoveryCodes: row?.recoveryCodes ?? 0 };
}

/** Creates a TOTP secret for the caller's user. It has no effect until `enableTotp`. Throws 409 when TOTP is on. */
export async function setUpTotp(ctx: CallerCtx): Promise<{ secret: string; otpauth_url: string }> {
  const { userId, email } = ctx.actor;
  const secret = newTotpSecret();
  const sealed = await seal(ctx.settings.masterKeys, TOTP_PURPOSE, userId, secret);
  const { meta } = await ctx.db.execute(SAVE_SECRET, userId, sealed, ctx.now());
  if (meta.changes === 0) throw conflict("Two-factor authentication is on; turn it off first");
  const issuer = ctx.settings.serviceName;
  const text = toBase32(secret).toUpperCase();
  // Apps show a plus sign of the issuer as it is.
  const query = `${new URLSearchParams({ secret: text, issuer })}`.replaceAll("+", "%20");
  const label = encodeURIComponent(`${issuer}:${email}`);
  return { secret: text, otpauth_url: `otpauth://totp/${label}?${query}` };
}

/** Turns TOTP on with a first code. Returns ten recovery codes, shown once. Throws 403 for a wrong code, 409, 429. */
export async function enableTotp(ctx: CallerCtx, code: string, ip: string | null): Promise<string[]> {
  const { userId } = ctx.actor;
  const row = await findTotp(ctx, userId);
  if (!row) throw conflict("Set up two-factor authentication first");
  if (row.enabled_at !== null) throw conflict("Two-factor authentication is already on");
  const verified = await requireCode(ctx, code, ip);
  const codes = Array.from({ length: RECOVERY_CODES }, newRecoveryCode);
  const hashes = await Promise.all(codes.map((recovery) => hashOf(ctx, recovery)));
  const enable = ctx.db.prepare(
    "UPDATE user_totp SET enabled_at = ?2 WHERE user_id = ?1 AND secret = ?3 AND enabled_at IS NULL",
  );
  const insert = "INSERT INTO recovery_codes (user_id, hash) SELECT ?1, value FROM json_each(?2)";
  await guardedBatch(ctx.db, [
    ...verified.statements,
    enable.bind(userId, ctx.now(), row.secret),
    expectChanges(ctx.db, 1),
    ctx.db.prepare("DELETE FROM recovery_codes WHERE user_id = ?1").bind(userId),
    ctx.db.prepare(insert).bind(userId, JSON.stringify(hashes)),
    auditStatement(ctx, { action: "totp.enabled", target: userId }),
  ]);
  await verified.succeeded();
  return codes;
}

/** Turns TOTP off with a code. Throws 403 for a wrong code, 409 when it is off, 429. */
export async function disableTotp(ctx: CallerCtx, code: string, ip: string | null): Promise<void> {
  const { userId } = ctx.actor;
  const row = await findTotp(ctx, userId);
  if (!row?.enabled_at) throw conflict("Two-factor authentication is off");
  const verified = await requireCode(ctx, code, ip);
  await guardedBatch(ctx.db, [
    ...verified.statements,
    ctx.db.prepare("DELETE FROM user_totp WHERE user_id = ?1").bind(userId),
    ctx.db.prepare("DELETE FROM recovery_codes WHERE user_id = ?1").bind(userId),
    auditStatement(ctx, { action: "totp.disabled", target: userId }),
  ]);
  await verified.succeeded();
}

async function requireCode(ctx: CallerCtx, code: string, ip: string | null) {
  const verified = await verifyCode(ctx, ctx.actor.userId, code, { ip, allowsRecovery: true });
  if (!verified) throw forbidden("The code is wrong or was used before");
  return verified;
}

function newRecoveryCode(): string {
  const code = toBase32(crypto.getRandomValues(new Uint8Array(10))).toUpperCase();
  return (code.match(/.{4}/g) ?? []).join("-");
}

async function hashOf(ctx: CallerCtx, code: string): Promise<string> {
  const [hash = ""] = await keyedHashes(ctx.settings.masterKeys, RECOVERY_PURPOSE, normalizeRecovery(code));
  return hash;
}
