import path from "node:path";
import { type GatewayConfig, readConfig } from "../mail-gateway/config.ts";
import { apiUrl, HOST, type Layout } from "./layout.ts";
import type { Seed } from "./seed.ts";
import { type Certificates, writeCertificateFiles } from "./state/certificates.ts";
import { readJson, writeDurably } from "./state/files.ts";
import type { Secrets } from "./state/secrets.ts";

/** The server and login with which a program submits mail from the seeded domain. */
export interface SmtpLogin {
  host: string;
  port: number;
  username: string;
  password: string;
  /** PEM file of the authority that signed the certificate of the server. */
  ca_file: string;
}

/** Returns the configuration of the local mail gateway, and writes its certificate to files. */
export async function gatewayConfig(
  layout: Layout,
  secrets: Secrets,
  certificates: Certificates,
): Promise<GatewayConfig> {
  const files = await writeCertificateFiles(layout.certificateDir, certificates);
  const { ports } = layout;
  return readConfig({
    ...files,
    GATEWAY_NAME: "mx.mail.test",
    GATEWAY_HOST: HOST,
    GATEWAY_SECRET: secrets.gateway_secret,
    WORKER_URL: `http://${HOST}:${ports.api}`,
    SUBMISSION_PORTS: String(ports.submission),
    SUBMISSION_TLS_PORTS: String(ports.submission_tls),
    MX_PORTS: String(ports.mx),
    IMAP_TLS_PORTS: String(ports.imap_tls),
    DNS_RESOLVER_URL: `http://${HOST}:${ports.dns}/dns-query`,
  });
}

interface StoredCredential {
  id: string;
  username: string;
  password: string;
}

/**
 * Returns the SMTP login of the seeded domain, and creates its credential at the first start. Returns null when the
 * domain has another active credential: its password was shown only once.
 */
export async function smtpLogin(layout: Layout, seed: Seed, authorityFile: string): Promise<SmtpLogin | null> {
  const file = path.join(layout.stateDir, "smtp.json");
  const url = `${apiUrl(layout)}/smtp-credentials/`;
  const headers = { Authorization: `Bearer ${seed.apiKey}`, "Content-Type": "application/json" };
  const listed = (await (await fetch(url, { headers })).json()) as { id: string; is_active: boolean }[];
  let credential = await readJson<StoredCredential>(file);
  if (!listed.some(({ id, is_active }) => is_active && id === credential?.id)) {
    const body = JSON.stringify({ domain_id: seed.domainId });
    const response = await fetch(url, { method: "POST", headers, body });
    if (response.status !== 201) return null;
    credential = (await response.json()) as StoredCredential;
    await writeDurably(file, JSON.stringify(credential, null, 2), 0o600);
  }
  if (!credential) return null;
  const { username, password } = credential;
  return { host: HOST, port: layout.ports.submission, username, password, ca_file: authorityFile };
}
