import { env } from "cloudflare:workers";
import { createContext } from "../../src/platform/create-context.ts";
import { reloadErasedKey } from "../../src/platform/erased-addresses/key.ts";

/** Reads the key of the hashes of erased addresses, or makes it, as the first event in an isolate does. */
export async function loadKeyAgain(): Promise<void> {
  await reloadErasedKey(createContext(env as unknown as Env, "test"));
}
