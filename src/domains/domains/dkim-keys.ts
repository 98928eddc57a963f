import { OneAtATime } from "../../lib/one-at-a-time.ts";
import { open, seal } from "../../lib/secret-box.ts";
import { type DkimAlgorithm, generateDkimKeyPair } from "../../mail/dkim/index.ts";
import type { Ctx } from "../../platform/context.ts";
import type { MainStatement } from "../../platform/db/database.ts";
import type { dkimKeys } from "../../platform/db/schema/main/index.ts";

export const DKIM_PURPOSE = "dkim-private-key";

/** A row of `dkim_keys`. The private key is encrypted and bound to the row's id. */
export type DkimKey = typeof dkimKeys.$inferSelect;

/** Those of this isolate: a workspace may register many domains at once. */
const generations = new OneAtATime();

/**
 * Generates the pending keys of one rotation: RSA, because some receivers do not support Ed25519 (RFC 8463), and Ed25519.
 * RSA takes about 70 ms, so sending an email never calls this, rotations take turns, and tests give their own `generate`.
 */
export function generateDkimKeys(ctx: Ctx, domainId: string, generate = generateDkimKeyPair): Promise<DkimKey[]> {
  const algorithms: DkimAlgorithm[] = ["rsa-sha256", "ed25519-sha256"];
  return generations.run(() =>
    Promise.all(algorithms.map(async (algorithm) => toDkimKey(ctx, domainId, algorithm, await generate(algorithm)))),
  );
}

async function toDkimKey(
  ctx: Ctx,
  domainId: string,
  algorithm: DkimAlgorithm,
  pair: Awaited<ReturnType<typeof generateDkimKeyPair>>,
): Promise<DkimKey> {
  const id = ctx.newId();
  const privateKey = await seal(ctx.settings.masterKeys, DKIM_PURPOSE, id, new Uint8Array(pair.pkcs8));
  const selector = `svc-${algorithm === "rsa-sha256" ? "r" : "e"}-${id.slice(-8)}`;
  const { publicKey } = pair;
  const times = { createdAt: ctx.now(), activatedAt: null, retiredAt: null };
  return { id, domainId, selector, algorithm, publicKey, privateKey, ...times };
}

const INSERT_KEYS = `
  INSERT INTO dkim_keys (id, domain_id, selector, algorithm, public_key, private_key, created_at)
  SELECT value->>'id', value->>'domainId', value->>'selector', value->>'algorithm', value->>'publicKey',
    value->>'privateKey', value->>'createdAt' FROM json_each(?1)`;

/** Returns a statement that inserts pending keys. */
export function insertKeysStatement(ctx: Ctx, keys: readonly DkimKey[]): MainStatement {
  return ctx.db.prepare(INSERT_KEYS).bind(JSON.stringify(keys));
}

/** Decrypts a private key to PKCS #8 in DER. Throws when the row was altered or its master key is not configured. */
export function openDkimKey(ctx: Ctx, id: string, privateKey: string): Promise<Uint8Array> {
  return open(ctx.settings.masterKeys, DKIM_PURPOSE, id, privateKey);
}
