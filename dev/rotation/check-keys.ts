import { fingerprintKeys } from "../../src/operations/secret-rotation/fingerprint-keys.ts";
import { readSettings } from "../../src/platform/settings/settings.ts";
import type { Target } from "../operator.ts";
import { findKeyRefusal } from "./compare-keys.ts";
import { askForKeys } from "./deployed-keys.ts";

/**
 * Returns why the master keys of a file must not replace those of the running Worker, since stored secrets could not be read then,
 * and what to do. Returns null when they may. `worker` names the Worker. Throws an Error when the Worker cannot be asked.
 */
export async function checkKeys({ url, masterKeys }: Target, worker: string, file: string): Promise<string | null> {
  const responses = await askForKeys({ url, masterKeys }).catch((error: Error) => {
    throw new Error(`${worker} cannot be asked which master keys it uses. ${error.message}`);
  });
  const own = await fingerprintKeys(readSettings({ MASTER_KEYS: masterKeys }).masterKeys);
  const refusals = responses.map((response) => findKeyRefusal(own, response));
  const reason = responses.length === 0 ? "the Worker knows none of its keys" : refusals.find((one) => one !== null);
  if (!reason) return null;
  return (
    `The MASTER_KEYS of ${file} must not replace those of ${worker}: ${reason}. ` +
    "Copy the file from where the keys were rotated last (docs/operating/secrets.md)."
  );
}
