import { fromBase64, toBase64, utf8 } from "../../lib/bytes.ts";
import { conflict } from "../../lib/errors.ts";
import type { WorkspaceCtx } from "../context.ts";
import type { Idempotency } from "./key.ts";

/** Prefix of a sealed response. No JSON text begins with it. */
const SEALED_PREFIX = "sealed";

/** Returns whether a stored response is encrypted. */
export function isSealed(response: string): boolean {
  return response.startsWith(`${SEALED_PREFIX}.`);
}

/**
 * Encrypts a response (AES-256-GCM) under the newest sealing key. Returns `sealed.<credential>.<version>.<iv>.<text>`.
 * Decrypting it requires the caller's Idempotency-Key, which is not stored.
 */
export async function sealResponse(ctx: WorkspaceCtx, idempotency: Idempotency, response: string): Promise<string> {
  const { credentialId } = ctx.actor;
  const [newest = ""] = await idempotency.sealingKeys();
  const [version, secret] = newest.split(".");
  const iv = crypto.getRandomValues(new Uint8Array(12));
  const key = await importKey(secret, "encrypt");
  const sealed = await crypto.subtle.encrypt(algorithm(ctx, idempotency, iv), key, utf8(response));
  return [SEALED_PREFIX, credentialId, version, toBase64(iv), toBase64(new Uint8Array(sealed))].join(".");
}

/**
 * Decrypts the result of `sealResponse`. Throws 409 for another credential: an Idempotency-Key may be guessable, and the
 * other credential may have fewer rights.
 */
export async function openResponse(ctx: WorkspaceCtx, idempotency: Idempotency, sealed: string): Promise<string> {
  const [, credentialId, version, iv = "", text = ""] = sealed.split(".");
  if (credentialId !== ctx.actor.credentialId) throw conflict("This Idempotency-Key was used by another credential");
  const found = (await idempotency.sealingKeys()).find((candidate) => candidate.split(".")[0] === version);
  const key = await importKey(found?.split(".")[1], "decrypt");
  const plain = await crypto.subtle.decrypt(algorithm(ctx, idempotency, fromBase64(iv)), key, fromBase64(text));
  return new TextDecoder().decode(plain);
}

function importKey(secret: string | undefined, use: "encrypt" | "decrypt"): Promise<CryptoKey> {
  if (!secret) throw new Error("no key is configured that can encrypt or decrypt this stored response");
  return crypto.subtle.importKey("raw", fromBase64(secret), "AES-GCM", false, [use]);
}

/** Returns the AES-GCM parameters. Workspace, credential and request are authenticated. */
function algorithm({ workspace, actor }: WorkspaceCtx, { fingerprint }: Idempotency, iv: Uint8Array<ArrayBuffer>) {
  return { name: "AES-GCM", iv, additionalData: utf8(`${workspace.number} ${actor.credentialId} ${fingerprint}`) };
}
