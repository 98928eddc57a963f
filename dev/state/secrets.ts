import { randomBytes } from "node:crypto";
import { HOSTNAME_TARGET } from "../custom-hostnames/target.ts";
import { newCfblKey } from "../deploy/cfbl-key.ts";
import { zoneSettings } from "../dns-api/local.ts";
import { exampleUrl } from "../example/client.ts";
import type { Layout } from "../layout.ts";
import { HOST } from "../layout.ts";
import { readJson, writeDurably } from "./files.ts";

export interface Secrets {
  /** Version and key in the format of MASTER_KEYS. Without it, every stored DKIM key and API key is unusable. */
  master_keys: string;
  /** Password of SMTP AUTH at the local egress. */
  egress_password: string;
  /** Secret that the Worker shares with the mail gateway. */
  gateway_secret: string;
  /** CFBL_DKIM_KEY of the Worker. */
  cfbl_dkim_key: string;
}

/** The mailbox of the seeded workspace. It also sends the emails of the service, such as sign-in links. */
const FIRST_MAILBOX = "hello@example.test";

/** BOUNCE_DOMAIN of the local service, the default of the setting. */
export const LOCAL_BOUNCE_DOMAIN = "bounces.mail.test";

export const EGRESS_USER = "local";

/** Reads the secrets of this state directory. Creates them at the first start. */
export async function loadSecrets(layout: Layout): Promise<Secrets> {
  const known = await readJson<Partial<Secrets>>(layout.secretsFile);
  // State of older versions has neither gateway nor CFBL key.
  if (known?.gateway_secret && known.cfbl_dkim_key) return known as Secrets;
  const secrets: Secrets = {
    master_keys: `1:${randomBytes(32).toString("base64")}`,
    egress_password: randomBytes(18).toString("base64url"),
    gateway_secret: randomBytes(32).toString("base64url"),
    cfbl_dkim_key: await newCfblKey(new Date()),
    ...known,
  };
  await saveSecrets(layout, secrets);
  return secrets;
}

/** Stores the secrets of this state directory. The service reads them at its start. */
export async function saveSecrets(layout: Layout, secrets: Secrets): Promise<void> {
  await writeDurably(layout.secretsFile, JSON.stringify(secrets, null, 2), 0o600);
}

/** Writes the Worker's variables that wrangler.toml does not have. Runs at each start, because the ports may change. */
export async function writeWorkerEnv(layout: Layout, secrets: Secrets) {
  const settings = {
    MASTER_KEYS: secrets.master_keys,
    DNS_RESOLVER_URL: `http://${HOST}:${layout.ports.dns}/dns-query`,
    ...zoneSettings(layout),
    PUBLIC_URL: `http://${HOST}:${layout.ports.api}`,
    HOSTNAME_ZONE_ID: "local",
    HOSTNAME_API_TOKEN: "local",
    HOSTNAME_TARGET,
    HOSTNAME_API_URL: `http://${HOST}:${layout.ports.dns}/client/v4`,
    EXAMPLE_URL: exampleUrl(layout),
    SIGN_UP: "open",
    SYSTEM_MAILBOX: FIRST_MAILBOX,
    SMTP_HOST: HOST,
    SMTP_PORT: String(layout.ports.submission),
    SMTP_TLS_PORT: String(layout.ports.submission_tls),
    IMAP_HOST: HOST,
    IMAP_PORT: String(layout.ports.imap_tls),
    GATEWAY_SECRET: secrets.gateway_secret,
    BOUNCE_DOMAIN: LOCAL_BOUNCE_DOMAIN,
    CFBL_DKIM_KEY: secrets.cfbl_dkim_key,
    // Receivers of webhooks are programs on this machine.
    LIVE_WEBHOOKS: process.env.LIVE_WEBHOOKS ?? "on",
    WEBHOOK_ALLOW_INSECURE: process.env.WEBHOOK_ALLOW_INSECURE ?? "on",
    EGRESS_URL: `smtp://${EGRESS_USER}:${secrets.egress_password}@${HOST}:${layout.ports.smtp}`,
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name}="${value}"\n`);
  await writeDurably(layout.workerEnvFile, lines.join(""), 0o600);
}
