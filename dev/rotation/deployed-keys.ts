import type { DeployedKeys } from "../../src/operations/secret-rotation/deployed-keys.ts";
import { fingerprintKeys } from "../../src/operations/secret-rotation/fingerprint-keys.ts";
import { readSettings } from "../../src/platform/settings/settings.ts";
import { askAsOperator, RefusedError, type Target } from "../operator.ts";

/** Requests in a row. Each may reach another instance, which may have another value of MASTER_KEYS for a minute after a change. */
const PROBES = 5;

/** A rotation step that changes nothing: its cursor is after every row. */
const NO_ROWS = { kind: "rotation", subject: "operator", body: { column: 0, after: "~" } } as const;

/**
 * Asks a running Worker several times which master keys it has; the keys themselves are not sent. Returns its responses, and none when
 * it knows no key of the target. Throws an Error when it cannot be asked.
 */
export async function askForKeys(target: Target): Promise<DeployedKeys[]> {
  const responses: DeployedKeys[] = [];
  for (let probe = 0; probe < PROBES; probe++) {
    const response = await askOnce(target);
    if (response) responses.push(response);
  }
  return responses;
}

/** Asks once, signed with each key in turn until the Worker knows one. Returns null when it knows none. */
async function askOnce(target: Target): Promise<DeployedKeys | null> {
  for (const signer of signersOf(target)) {
    try {
      const request = { kind: "rotation", subject: "operator" } as const;
      const response = await askAsOperator<Partial<DeployedKeys>>(signer, "/auth/master-keys", request);
      const { fingerprints, sealed_under = null } = response;
      if (!Array.isArray(fingerprints)) throw new Error(`${target.url} does not respond as this service does.`);
      return { fingerprints, sealed_under };
    } catch (error) {
      if (isRefused(error, 404)) return askOlderVersion(target);
      if (!isRefused(error, 401)) throw error;
    }
  }
  return null;
}

/** Asks a version without that endpoint: it tells the version of its newest key, and which keys it knows by the signature. */
async function askOlderVersion(target: Target): Promise<DeployedKeys | null> {
  const known: string[] = [];
  let newest: number | null = null;
  for (const signer of signersOf(target)) {
    try {
      newest = (await askAsOperator<{ version: number }>(signer, "/auth/rotate-secrets", NO_ROWS)).version;
      known.push(...(await fingerprintKeys(readSettings({ MASTER_KEYS: signer.masterKeys }).masterKeys)).slice(0, 1));
    } catch (error) {
      if (!isRefused(error, 401)) throw error;
    }
  }
  if (newest === null) return null;
  const isNewest = (fingerprint: string) => fingerprint.startsWith(`${newest}.`);
  const first = known.find(isNewest) ?? `${newest}.unknown`;
  return { fingerprints: [first, ...known.filter((one) => !isNewest(one))], sealed_under: null };
}

/** Returns the target once for each of its keys, with that key in use; the one that is in use first. */
function signersOf(target: Target): Target[] {
  const keys = target.masterKeys.split(",");
  return keys
    .map((key) => ({ ...target, masterKeys: [...keys.filter((other) => other !== key), key].join(",") }))
    .reverse();
}

const isRefused = (error: unknown, status: number) => error instanceof RefusedError && error.status === status;
