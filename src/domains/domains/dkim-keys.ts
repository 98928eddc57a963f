import { OneAtATime } from "../../lib/one-at-a-time.ts";
import { open, seal } from "../../lib/secret-box.ts";
import { type DkimAlgorithm, dkimRecord, generateDkimKeyPair } from "../../mail/dkim/keys.ts";
import type { Ctx, MainStatement } from "../../platform/context.ts";
import type { dkimKeys } from "../../platform/db/schema/main/index.ts";
import { type Delegation, type Slot, type SlotRecord, slotSelector } from "../zones/index.ts";

export const DKIM_PURPOSE = "dkim-private-key";

/** A row of `dkim_keys`. The private key is encrypted and bound to the row's id. */
export type DkimKey = typeof dkimKeys.$inferSelect;

/** Those of this isolate: a workspace may register many domains at once. */
const generations = new OneAtATime();

/**
 * Generates the pending keys of one rotation: RSA, because some receivers do not support Ed25519 (RFC 8463), and Ed25519.
 * RSA takes about 70 ms, so sending an email never calls this, and rotations take turns.
 */
export function generateDkimKeys(ctx: Ctx, domainId: string, generate = generateDkimKeyPair): Promise<DkimKey[]> {
  const algorithms: DkimAlgorithm[] = ["rsa-sha256", "ed25519-sha256"];
  return generations.run(() =>
    Promise.all(algorithms.map(async (algorithm) => toDkimKey(ctx, domainId, algorithm, await generate(algorithm)))),
  );
}

/** Generates the pending key of a slot of a delegated domain: RSA alone, since a selector has one key. */
export function generateSlotKey(ctx: Ctx, domainId: string, delegation: Delegation, slot: Slot): Promise<SlotKey> {
  return generations.run(async () => {
    const key = await toDkimKey(ctx, domainId, "rsa-sha256", await generateDkimKeyPair("rsa-sha256"));
    return { ...key, selector: slotSelector(delegation, slot), slot };
  });
}

/** A key of a delegated domain. */
export type SlotKey = DkimKey & { slot: Slot };

/** Returns what is published at the target of a slot. */
export const toSlotRecord = ({ id, slot, algorithm, publicKey }: SlotKey): SlotRecord => ({
  slot,
  keyId: id,
  value: dkimRecord(algorithm, publicKey),
});

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
  const times = { createdAt: ctx.now(), activatedAt: null, retiredAt: null, publishedAt: null };
  return { id, domainId, selector, algorithm, publicKey, privateKey, slot: null, ...times };
}

const INSERT_KEYS = `
  INSERT INTO dkim_keys (id, domain_id, selector, algorithm, public_key, private_key, created_at, activated_at, slot)
  SELECT value->>'id', value->>'domainId', value->>'selector', value->>'algorithm', value->>'publicKey',
    value->>'privateKey', value->>'createdAt', value->>'activatedAt', value->>'slot' FROM json_each(?1)`;

/** Returns a statement that inserts new keys. */
export function insertKeysStatement(ctx: Ctx, keys: readonly DkimKey[]): MainStatement {
  return ctx.db.prepare(INSERT_KEYS).bind(JSON.stringify(keys));
}

/** Decrypts a private key to PKCS #8 in DER. Throws when the row was altered or its master key is not configured. */
export function openDkimKey(ctx: Ctx, id: string, privateKey: string): Promise<Uint8Array> {
  return open(ctx.settings.masterKeys, DKIM_PURPOSE, id, privateKey);
}
