import { Buffer } from "node:buffer";
import { open, seal } from "../../lib/secret-box.ts";
import type { Ctx } from "../context.ts";

/**
 * The key of the hashes of erased addresses: random, made once, and encrypted under the master key, so that a rotation encrypts it again
 * and the hashes stay. An isolate reads it once, since it never changes.
 */

export const ERASED_ADDRESSES_PURPOSE = "hashes of erased addresses";
const NAME = "erased-addresses";
const KEY_BYTES = 32;

let loaded: Buffer | undefined;

const FIND = "SELECT secret FROM service_keys WHERE name = ?1";
const INSERT = "INSERT OR IGNORE INTO service_keys (name, secret, created_at) VALUES (?1, ?2, ?3)";

/**
 * Reads the key into the memory of this isolate, unless it is there; makes it when there is none. Every event of the Worker calls it
 * first. Logs and returns an error instead of throwing it: `erasedKey` then throws where a hash is needed, and the next event tries again.
 */
export async function loadErasedKey(ctx: Ctx): Promise<unknown> {
  // Without a database nothing is decided about mail: the OpenAPI document and /health respond all the same.
  if (loaded || !("DB" in ctx.env)) return;
  try {
    await reloadErasedKey(ctx);
  } catch (error) {
    ctx.log("erased-addresses.failed", { error: String(error) });
    return error;
  }
}

/** Reads the key again, also when it is in memory: after a backup was restored it may be another one. Makes it when there is none. */
export async function reloadErasedKey(ctx: Ctx): Promise<void> {
  const secret = (await findSecret(ctx)) ?? (await makeSecret(ctx));
  loaded = Buffer.from(await open(ctx.settings.masterKeys, ERASED_ADDRESSES_PURPOSE, NAME, secret));
}

/** Returns the key. Throws an Error when it was not loaded. */
export function erasedKey(): Buffer {
  if (!loaded) throw new Error("the key of the hashes of erased addresses is not loaded");
  return loaded;
}

/** Removes the key from memory, as in a new isolate. */
export function forgetErasedKey(): void {
  loaded = undefined;
}

const findSecret = (ctx: Ctx) => ctx.db.findValue<string>(FIND, NAME);

async function makeSecret(ctx: Ctx): Promise<string> {
  const random = crypto.getRandomValues(new Uint8Array(KEY_BYTES));
  const sealed = await seal(ctx.settings.masterKeys, ERASED_ADDRESSES_PURPOSE, NAME, random);
  await ctx.db.execute(INSERT, NAME, sealed, ctx.now());
  // Of several isolates, the first has made it.
  const secret = await findSecret(ctx);
  if (secret === null) throw new Error("the key of the hashes of erased addresses was made and is not there");
  return secret;
}
