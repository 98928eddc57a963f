import { randomBytes } from "node:crypto";
import { mkdir } from "node:fs/promises";
import path from "node:path";
import { parseEgressUrl } from "../../src/mail/smtp/egress-url.ts";
import { parseCfblKeys } from "../../src/platform/settings/cfbl-key.ts";
import { parseNamedEgresses } from "../../src/platform/settings/named-egresses.ts";
import { parseVariables } from "../../src/platform/settings/settings.ts";
import { readJson, writeDurably } from "../state/files.ts";
import { newCfblKey } from "./cfbl-key.ts";

/** The secrets of a deployment, as `wrangler deploy --secrets-file` takes them. */
export type Secrets = Record<string, string>;

/**
 * Returns the secrets of a file with those that are missing. EGRESS_URL, and BULK_EGRESS_URL and NAMED_EGRESS_URLS, which are
 * optional, come from the environment variables of these names, or from the file; CFBL_DKIM_KEY too, else it is made. Writes nothing. Throws an Error that names the secret when it is missing or malformed, or when the file is no JSON.
 */
export async function composeSecrets(file: string, env: NodeJS.ProcessEnv): Promise<Secrets> {
  const stored = await readSecrets(file);
  const egressUrl = env.EGRESS_URL || stored.EGRESS_URL;
  if (!egressUrl) {
    throw new Error(
      "EGRESS_URL is not set; give the SMTP server that takes outgoing mail: EGRESS_URL=smtps://user:password@host",
    );
  }
  parseEgressUrl(egressUrl, false);
  const bulkEgressUrl = env.BULK_EGRESS_URL || stored.BULK_EGRESS_URL;
  if (bulkEgressUrl) parseEgressUrl(bulkEgressUrl, false);
  const namedEgressUrls = env.NAMED_EGRESS_URLS || stored.NAMED_EGRESS_URLS;
  if (namedEgressUrls) checkNamedEgresses(namedEgressUrls);
  const cfblKey = env.CFBL_DKIM_KEY || (stored.CFBL_DKIM_KEY ?? (await newCfblKey(new Date())));
  const cfblIssues = parseCfblKeys(cfblKey).issues;
  if (cfblIssues.length > 0) throw new Error(`${cfblIssues.join("; ")} (${file})`);
  const secrets: Secrets = {
    MASTER_KEYS: `1:${randomBytes(32).toString("base64")}`,
    GATEWAY_SECRET: randomBytes(33).toString("base64"),
    METRICS_TOKEN: randomBytes(33).toString("base64url"),
    ...stored,
    EGRESS_URL: egressUrl,
    CFBL_DKIM_KEY: cfblKey,
    ...(bulkEgressUrl ? { BULK_EGRESS_URL: bulkEgressUrl } : {}),
    ...(env.HOSTNAME_API_TOKEN ? { HOSTNAME_API_TOKEN: env.HOSTNAME_API_TOKEN } : {}),
    ...(env.DNS_API_TOKEN ? { DNS_API_TOKEN: env.DNS_API_TOKEN } : {}),
    ...(namedEgressUrls ? { NAMED_EGRESS_URLS: namedEgressUrls } : {}),
  };
  const { issues } = parseVariables(secrets);
  if (issues.length > 0) throw new Error(`${issues.join("; ")} (${file})`);
  return secrets;
}

/** Throws an Error that names what is malformed, never a URL. */
function checkNamedEgresses(text: string): void {
  const { urls, issues } = parseNamedEgresses(text);
  if (issues.length > 0) throw new Error(issues.join("; "));
  for (const [name, url] of urls) {
    try {
      parseEgressUrl(url, false);
    } catch (error) {
      throw new Error((error as Error).message.replace("EGRESS_URL", `NAMED_EGRESS_URLS: ${name}`));
    }
  }
}

/** Returns whether the file has the master keys of a deployment. Throws an Error when the file is no JSON. */
export async function hasMasterKeys(file: string): Promise<boolean> {
  return (await readSecrets(file)).MASTER_KEYS !== undefined;
}

/** Writes secrets to a file that only its owner can read. An interruption leaves the earlier content. */
export async function saveSecrets(file: string, secrets: Secrets): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  await writeDurably(file, `${JSON.stringify(secrets, null, 2)}\n`, 0o600);
}

/** Returns the secrets of a file, or none when it does not exist. Another failure must not look like a first deployment. */
export async function readSecrets(file: string): Promise<Secrets> {
  const stored = await readJson<Secrets>(file).catch((error: Error) => {
    throw new Error(`${file} cannot be read: ${error.message}`);
  });
  return stored ?? {};
}
