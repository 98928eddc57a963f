/** A key of the domain for complaints, and mail that is signed with it. */

import { env } from "cloudflare:workers";
import { toBase64 } from "../../src/lib/bytes.ts";
import { dkimRecord, generateDkimKeyPair } from "../../src/mail/dkim/keys.ts";
import { database } from "./databases.ts";
import { runOutboxAt } from "./run-outbox-at.ts";
import { sinkServer } from "./smtp-control.ts";
import { pathIn } from "./smtp-path.ts";
import { aMail, type TestWorkspace } from "./workspace.ts";

const cfblPair = await generateDkimKeyPair("rsa-sha256");
export const CFBL_DKIM_KEY = `cfbl1:${toBase64(cfblPair.pkcs8)}`;
const CFBL_RECORD = {
  "cfbl1._domainkey.bounces.mail.test": dkimRecord("rsa-sha256", cfblPair.publicKey),
};

/** A message that the egress received. */
export interface SentMail {
  id: string;
  returnPath: string;
  raw: Uint8Array;
  /** Its header section with unfolded fields. */
  head: string;
}

/** Sends an email of a source and dispatches it. `settings` replaces the key. */
export async function sendWithCfbl(
  workspace: TestWorkspace,
  source: string,
  fields: Record<string, unknown> = {},
  settings: Record<string, unknown> = { CFBL_DKIM_KEY },
): Promise<SentMail> {
  const server = await sinkServer();
  const apiWithoutQueue = workspace.withoutQueue;
  const { id } = await apiWithoutQueue.create("/v1/emails/", aMail(workspace, fields));
  await database.run("UPDATE emails SET source = ?2 WHERE id = ?1", [id, source]);
  await runOutboxAt(Date.now(), { EGRESS_URL: server.url, ...settings });
  const [message] = await server.messages();
  const from = (await server.commands()).find((command) => command.startsWith("MAIL FROM")) ?? "";
  await server.close();
  const raw = message?.raw ?? new Uint8Array(0);
  const text = new TextDecoder().decode(raw);
  const head = text.slice(0, text.indexOf("\r\n\r\n")).replace(/\r\n[ \t]/g, " ");
  return { id, returnPath: pathIn(from), raw, head };
}

/** Returns the value of a field of a message, or an empty string. */
export const fieldOf = ({ head }: SentMail, name: string): string =>
  new RegExp(`^${name}: ([^\r]*)`, "im").exec(head)?.[1] ?? "";

/** Returns what mailauth finds about the signatures of a message, with the records of these domains and of the service. */
export async function verifyDkim(raw: Uint8Array, records: Record<string, string>): Promise<string[]> {
  const response = await fetch(`http://127.0.0.1:${env.TEST_SERVERS.dkimVerifier}/`, {
    method: "POST",
    body: JSON.stringify({ message: toBase64(raw), records: { ...CFBL_RECORD, ...records } }),
  });
  if (!response.ok) throw new Error(await response.text());
  return response.json();
}

/** Returns the DKIM records of a workspace's domain by name. */
export const dkimRecordsOf = ({ dkim, domain }: TestWorkspace): Record<string, string> =>
  Object.fromEntries(dkim.map(({ selector, record }) => [`${selector}._domainkey.${domain}`, record]));
