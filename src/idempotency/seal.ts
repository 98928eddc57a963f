import type { CallerCtx } from "../context.ts";
import { conflict } from "../errors.ts";
import { fromBase64, toBase64, utf8 } from "../lib/bytes.ts";
import type { Idempotency } from "./responses.ts";

/** No JSON text begins like this: what tells a sealed answer from one that is kept as it is. */
const MARK = "sealed";

export function isSealed(answer: string): boolean {
  return answer.startsWith(`${MARK}.`);
}

/**
 * Encrypts an answer (AES-256-GCM) under the newest sealing key. Answers `sealed.<credential>.<version>.<iv>.<text>`:
 * neither the database nor the master keys open it without the caller's Idempotency-Key.
 */
export async function sealResponse(ctx: CallerCtx, idempotency: Idempotency, answer: string): Promise<string> {
  const { keyId } = ctx.actor;
  const [newest = ""] = await idempotency.sealingKeys();
  const [version, secret] = newest.split(".");
  const iv = crypto.getRandomValues(new Uint8Array(12));
  const key = await importKey(secret, "encrypt");
  const sealed = await crypto.subtle.encrypt(algorithm(ctx, idempotency, iv), key, utf8(answer));
  return [MARK, keyId, version, toBase64(iv), toBase64(new Uint8Array(sealed))].join(".");
}

/**
 * Opens what `sealAnswer` made. Throws 409 to another credential: Idempotency-Keys may be guessed, and what one
 * key was given is not for another that may have less.
 */
export async function openResponse(ctx: CallerCtx, idempotency: Idempotency, sealed: string): Promise<string> {
  const [, keyId, version, iv = "", text = ""] = sealed.split(".");
  if (keyId !== ctx.actor.keyId) throw conflict("This Idempotency-Key was used by another credential");
  const found = (await idempotency.sealingKeys()).find((candidate) => candidate.split(".")[0] === version);
  const key = await importKey(found?.split(".")[1], "decrypt");
  const plain = await crypto.subtle.decrypt(algorithm(ctx, idempotency, fromBase64(iv)), key, fromBase64(text));
  return new TextDecoder().decode(plain);
}

function importKey(secret: string | undefined, use: "encrypt" | "decrypt"): Promise<CryptoKey> {
  if (!secret) throw new Error("no key for an idempotent answer");
  return crypto.subtle.importKey("raw", fromBase64(secret), "AES-GCM", false, [use]);
}

/** The answer opens in its workspace, for its credential and for the same request only. */
function algorithm({ workspace, actor }: CallerCtx, { fingerprint }: Idempotency, iv: Uint8Array<ArrayBuffer>) {
  return { name: "AES-GCM", iv, additionalData: utf8(`${workspace.number} ${actor.keyId} ${fingerprint}`) };
}
