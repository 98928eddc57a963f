import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { readSettings } from "../../src/platform/settings/settings.ts";
import { ENVIRONMENTS } from "../deploy/compose.ts";
import { ROOT } from "../layout.ts";
import { findTarget, type Target } from "../operator.ts";

/** Options by which each command names the deployment. */
export const targetOptions = {
  env: { type: "string" },
  local: { type: "boolean" },
  url: { type: "string" },
} as const;

export const TARGET_USAGE = "--env production|staging | --local | --url <PUBLIC_URL, with MASTER_KEYS set>";

/**
 * Returns the deployment that the options name. With --env its keys are in MASTER_KEYS or in `.dev/<env>.secrets.json`. Throws an
 * Error that says what is missing.
 */
export async function readTarget(values: { env?: string; local?: boolean; url?: string }): Promise<Target> {
  const given = [values.env !== undefined, values.local === true, values.url !== undefined].filter(Boolean);
  if (given.length !== 1) throw new Error("Give one of --env, --local and --url.");
  if (values.env === undefined) return findTarget(values.url);
  const environment = ENVIRONMENTS.find((name) => name === values.env);
  if (!environment) throw new Error(`--env is one of ${ENVIRONMENTS.join(", ")}.`);
  const { vars } = await readJsonFile<{ vars: Record<string, string> }>(`environments/${environment}.json`);
  if (!vars.PUBLIC_URL) throw new Error(`PUBLIC_URL is not set in environments/${environment}.json.`);
  const secretsFile = `.dev/${environment}.secrets.json`;
  const masterKeys =
    process.env.MASTER_KEYS || (await readJsonFile<Record<string, string>>(secretsFile).catch(() => null))?.MASTER_KEYS;
  if (!masterKeys) throw new Error(`MASTER_KEYS is neither set nor in ${secretsFile}.`);
  return { url: vars.PUBLIC_URL.replace(/\/+$/, ""), masterKeys };
}

async function readJsonFile<Content>(file: string): Promise<Content> {
  return JSON.parse(await readFile(path.join(ROOT, file), "utf8")) as Content;
}

/** Returns the versions of master keys with check values, which tell whether other keys are the same without revealing them. */
export function keyChecks(masterKeys: string): { version: number; check: string }[] {
  return readSettings({ MASTER_KEYS: masterKeys }).masterKeys.map(({ version, key }) => ({
    version,
    check: createHash("sha256").update(`backup check of a master key\n${version}\n${key}`).digest("hex").slice(0, 16),
  }));
}
