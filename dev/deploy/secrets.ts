import { randomBytes } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";

/** The secrets of a deployment, as `wrangler deploy --secrets-file` takes them. */
export type Secrets = Record<string, string>;

/**
 * Returns the secrets of a file. Makes those that are missing once and writes them to the file, which only its owner can read.
 * EGRESS_URL comes from the environment variable of that name, or from the file. Throws an Error when it is in neither.
 */
export async function loadSecrets(file: string, env: NodeJS.ProcessEnv): Promise<Secrets> {
  const stored = JSON.parse(await readFile(file, "utf8").catch(() => "{}")) as Secrets;
  const egressUrl = env.EGRESS_URL || stored.EGRESS_URL;
  if (!egressUrl) {
    throw new Error(
      "EGRESS_URL is not set; give the SMTP server that takes outgoing mail: EGRESS_URL=smtps://user:password@host",
    );
  }
  const secrets: Secrets = {
    MASTER_KEYS: `1:${randomBytes(32).toString("base64")}`,
    GATEWAY_SECRET: randomBytes(33).toString("base64"),
    METRICS_TOKEN: randomBytes(33).toString("base64url"),
    ...stored,
    EGRESS_URL: egressUrl,
  };
  await writeFile(file, `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600 });
  return secrets;
}
