import { rm } from "node:fs/promises";
import type { SmtpLogin } from "./gateway.ts";
import { apiUrl, HOST, type Layout, type Ports } from "./layout.ts";
import type { MailboxLogin } from "./mailbox-login.ts";
import type { Seed } from "./seed.ts";
import { readJson, writeDurably } from "./state/files.ts";

/** Content of `local.json`, which `npm start` writes for other programs when it is ready. */
export interface LocalService {
  base_url: string;
  api_key: string;
  workspace_id: string;
  domain: string;
  mailbox: string;
  captured_mail_url: string;
  /** Signs in the seeded owner once, within 15 minutes of the start. */
  sign_in_url: string;
  /** The DNS page; the resolver is at the path `/dns-query`. */
  dns_url: string;
  /** Submits mail from the seeded domain over STARTTLS. Null when the domain has a credential whose password is not known. */
  smtp: SmtpLogin | null;
  /** Signs in to webmail as the seeded mailbox. Null when its password was changed. */
  webmail: MailboxLogin | null;
  ports: Ports;
}

/** Writes `local.json` and returns its content. */
export async function writeLocalFile(
  layout: Layout,
  seed: Seed,
  signInUrl: string,
  smtp: SmtpLogin | null,
  webmail: MailboxLogin | null,
): Promise<LocalService> {
  const local = {
    base_url: apiUrl(layout),
    api_key: seed.apiKey,
    workspace_id: seed.workspaceId,
    domain: seed.domain,
    mailbox: seed.mailbox,
    sign_in_url: signInUrl,
    captured_mail_url: `http://${HOST}:${layout.ports.captured_mail}`,
    dns_url: `http://${HOST}:${layout.ports.dns}`,
    smtp,
    webmail,
    ports: layout.ports,
  };
  await writeDurably(layout.localFile, `${JSON.stringify(local, null, 2)}\n`, 0o600);
  return local;
}

/** Deletes `local.json`. */
export async function removeLocalFile(layout: Layout) {
  await rm(layout.localFile, { force: true });
}

/** Returns the content of `local.json`, or null while the service is not ready. */
export async function readLocalService(layout: Layout): Promise<LocalService | null> {
  return readJson<LocalService>(layout.localFile);
}
