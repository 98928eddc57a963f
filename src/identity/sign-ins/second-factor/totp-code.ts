import { utf8 } from "../../../lib/bytes.ts";

/** Length of a time step in ms, and digits of a code (RFC 6238, with the values of all authenticator apps). */
export const STEP_MS = 30_000;
const DIGITS = 6;
/** Steps before and after the current one whose codes are accepted, for clocks that differ (RFC 6238 5.2). */
const DRIFT_STEPS = 1;

/** Returns a new TOTP secret: 160 random bits (RFC 4226 4, R6). */
export const newTotpSecret = (): Uint8Array<ArrayBuffer> => crypto.getRandomValues(new Uint8Array(20));

/** Returns the TOTP code of a time step (RFC 6238 4, RFC 4226 5.3). */
export async function totpCode(secret: Uint8Array<ArrayBuffer>, step: number): Promise<string> {
  const key = await crypto.subtle.importKey("raw", secret, { name: "HMAC", hash: "SHA-1" }, false, ["sign"]);
  const counter = new DataView(new ArrayBuffer(8));
  counter.setBigUint64(0, BigInt(step));
  const mac = new DataView(await crypto.subtle.sign("HMAC", key, counter.buffer));
  const offset = mac.getUint8(19) & 0x0f;
  return String((mac.getUint32(offset) & 0x7fffffff) % 10 ** DIGITS).padStart(DIGITS, "0");
}

/** Returns the time step of a code that is valid at `now` and after `lastStep`, or null. Compares in constant time. */
export async function matchTotp(
  secret: Uint8Array<ArrayBuffer>,
  code: string,
  { now, lastStep }: { now: number; lastStep: number },
): Promise<number | null> {
  if (!/^\d{6}$/.test(code)) return null;
  const current = Math.floor(now / STEP_MS);
  let found: number | null = null;
  for (let step = current - DRIFT_STEPS; step <= current + DRIFT_STEPS; step++) {
    const expected = utf8(await totpCode(secret, step));
    if (crypto.subtle.timingSafeEqual(expected, utf8(code)) && step > lastStep) found ??= step;
  }
  return found;
}
