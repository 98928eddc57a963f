import type { Ctx } from "../context.ts";
import type { dkimKeys } from "../db/schema/index.ts";
import { open, seal } from "../lib/secret-box.ts";
import { type DkimAlgorithm, generateDkimKeyPair } from "../mail/dkim/index.ts";

const PURPOSE = "dkim-private-key";

/** A DKIM key as its row has it; the private part is sealed, and opens for this id only. */
export type DkimKey = typeof dkimKeys.$inferSelect;

/** The two keys of one rotation, waiting for their DNS records: not every receiver knows Ed25519 (RFC 8463). */
export function newDkimPair(ctx: Ctx, domainId: string): Promise<DkimKey[]> {
  return Promise.all([newDkimKey(ctx, domainId, "rsa-sha256"), newDkimKey(ctx, domainId, "ed25519-sha256")]);
}

/** Makes a key pair for a domain. RSA takes about 70 ms: never on the way of a send. */
async function newDkimKey(ctx: Ctx, domainId: string, algorithm: DkimAlgorithm): Promise<DkimKey> {
  const id = ctx.newId();
  const pair = await generateDkimKeyPair(algorithm);
  const privateKey = await seal(ctx.settings.masterKeys, PURPOSE, id, new Uint8Array(pair.pkcs8));
  const selector = `svc-${algorithm === "rsa-sha256" ? "r" : "e"}-${id.slice(-8)}`;
  const { publicKey } = pair;
  const times = { createdAt: ctx.now(), activatedAt: null, retiredAt: null };
  return { id, domainId, selector, algorithm, publicKey, privateKey, ...times };
}

const INSERT_KEYS = `
  INSERT INTO dkim_keys (id, domain_id, selector, algorithm, public_key, private_key, created_at)
  SELECT value->>'id', value->>'domainId', value->>'selector', value->>'algorithm', value->>'publicKey',
    value->>'privateKey', value->>'createdAt' FROM json_each(?1)`;

/** Writes keys that wait for their DNS records. */
export function insertKeysStatement(ctx: Ctx, keys: readonly DkimKey[]): D1PreparedStatement {
  return ctx.db.prepare(INSERT_KEYS).bind(JSON.stringify(keys));
}

/** The private part of a key, PKCS #8 in DER. Throws when the row was changed or its master key is gone. */
export function openDkimKey(ctx: Ctx, id: string, privateKey: string): Promise<Uint8Array> {
  return open(ctx.settings.masterKeys, PURPOSE, id, privateKey);
}
