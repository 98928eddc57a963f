import { randomBytes } from "node:crypto";
import type { Layout } from "../layout.ts";
import { HOST } from "../layout.ts";
import { readJson, writeDurably } from "./files.ts";

export interface Secrets {
  /** Version and key, as the Worker's MASTER_KEYS has it. Losing it loses every DKIM key and API key. */
  master_keys: string;
  /** What the Worker says to the local egress in AUTH. */
  egress_password: string;
}

export const EGRESS_USER = "local";

/** Reads the secrets of this state directory; makes them the first time. */
export async function loadSecrets(layout: Layout): Promise<Secrets> {
  const known = await readJson<Secrets>(layout.secretsFile);
  if (known) return known;
  const secrets = {
    master_keys: `1:${randomBytes(32).toString("base64")}`,
    egress_password: randomBytes(18).toString("base64url"),
  };
  await writeDurably(layout.secretsFile, JSON.stringify(secrets, null, 2), 0o600);
  return secrets;
}

/** Writes what the Worker gets beyond wrangler.toml. Written anew at each start: the port may have moved. */
export async function writeWorkerEnv(layout: Layout, secrets: Secrets) {
  const settings = {
    MASTER_KEYS: secrets.master_keys,
    DNS_RESOLVER_URL: `http://${HOST}:${layout.ports.dns}/dns-query`,
    PUBLIC_URL: `http://${HOST}:${layout.ports.api}`,
    EGRESS_URL: `smtp://${EGRESS_USER}:${secrets.egress_password}@${HOST}:${layout.ports.smtp}`,
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name}="${value}"\n`);
  await writeDurably(layout.workerEnvFile, lines.join(""), 0o600);
}
