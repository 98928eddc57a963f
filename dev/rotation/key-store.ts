import { readFile } from "node:fs/promises";
import path from "node:path";
import { ENVIRONMENTS, type EnvironmentFile } from "../deploy/compose.ts";
import { readSecrets, saveSecrets } from "../deploy/secrets.ts";
import { ROOT, readLayout } from "../layout.ts";
import { findTarget, type Target } from "../operator.ts";
import { loadSecrets, saveSecrets as saveLocalSecrets } from "../state/secrets.ts";

/** Options that say whose master key is replaced. */
export interface StoreOptions {
  env?: string;
  settings?: string;
  secrets?: string;
}

/** The file with the master keys of a deployment. */
export interface KeyStore {
  /** The file as it is printed. */
  name: string;
  target: () => Promise<Target>;
  /** Replaces the master keys in the file. The file has either value at any time, and the rest of it stays. */
  save: (masterKeys: string) => Promise<void>;
  /** The command that gives the keys of the file to the service. */
  publish: string;
  /** Options that name the same file in another command. */
  options: string;
}

/** Returns the keys of an environment, or of the service that `npm start` runs. Throws an Error that says what is missing. */
export async function openKeyStore(given: StoreOptions): Promise<KeyStore & { masterKeys: string }> {
  return given.env === undefined ? openLocal() : openEnvironment(given.env, given);
}

async function openLocal(): Promise<KeyStore & { masterKeys: string }> {
  const layout = readLayout(process.env);
  return {
    name: path.relative(ROOT, layout.secretsFile),
    masterKeys: (await loadSecrets(layout)).master_keys,
    target: () => findTarget(undefined),
    save: async (masterKeys) => saveLocalSecrets(layout, { ...(await loadSecrets(layout)), master_keys: masterKeys }),
    publish: "Restart npm start",
    options: "",
  };
}

async function openEnvironment(env: string, { settings, secrets }: StoreOptions) {
  const environment = ENVIRONMENTS.find((name) => name === env);
  if (!environment) throw new Error(`--env is one of ${ENVIRONMENTS.join(", ")}.`);
  const settingsFile = path.resolve(ROOT, settings ?? `environments/${environment}.json`);
  const file = path.resolve(ROOT, secrets ?? `.dev/${environment}.secrets.json`);
  const { PUBLIC_URL } = (JSON.parse(await readFile(settingsFile, "utf8")) as EnvironmentFile).vars;
  if (!PUBLIC_URL) throw new Error(`PUBLIC_URL is not set in ${path.relative(ROOT, settingsFile)}.`);
  const { MASTER_KEYS: masterKeys } = await readSecrets(file);
  if (!masterKeys) throw new Error(`${file} has no MASTER_KEYS. Copy the file from where it was made.`);
  const name = path.relative(ROOT, file);
  const paths = [...(settings ? [`--settings ${settings}`] : []), ...(secrets ? [`--secrets ${secrets}`] : [])];
  return {
    name,
    masterKeys,
    target: async () => ({ url: PUBLIC_URL.replace(/\/+$/, ""), masterKeys }),
    save: async (keys: string) => saveSecrets(file, { ...(await readSecrets(file)), MASTER_KEYS: keys }),
    publish: `Give them to the Worker:\n\n  npx wrangler secret bulk ${name} --config wrangler.${environment}.json\n\n`,
    options: ["--env", environment, ...paths].join(" "),
  };
}
