import { env } from "cloudflare:workers";
import { receiveEmail } from "../../../src/mailboxes/inbound/index.ts";

/** Returns a message in lines. `changes` replaces or adds header fields; an undefined one is left out. */
export function aRawMessage(
  changes: Record<string, string | undefined> = {},
  body = "Hello, this is a text.\r\n",
): string {
  const fields: Record<string, string | undefined> = {
    From: "Ada Lovelace <ada@example.org>",
    To: "hello@example.com",
    Subject: "A subject",
    Date: "Sat, 21 Nov 2026 14:00:00 +0000",
    "Message-ID": `<${crypto.randomUUID()}@example.org>`,
    "MIME-Version": "1.0",
    "Content-Type": "text/plain; charset=utf-8",
    ...changes,
  };
  const header = Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}: ${value}\r\n`],
  );
  return `${header.join("")}\r\n${body}`;
}

/** The server that receives messages before the Worker. */
const RECEIVER = "mx.receiver.test";
const trusted: Record<string, unknown> = { EMAIL_WORKER_AUTHSERV_ID: RECEIVER };

/** Delivers a message to the Worker's email handler. `isAuthentic`: SPF passes for its envelope sender. Returns the rejection, or null when it was accepted. */
export async function deliver(
  to: string,
  raw: string | Uint8Array,
  {
    from = "ada@example.org",
    bindings = {},
    isAuthentic = false,
  }: { from?: string; bindings?: Record<string, unknown>; isAuthentic?: boolean } = {},
): Promise<string | null> {
  const results = `Received: from out.test by ${RECEIVER}\r\nAuthentication-Results: ${RECEIVER}; spf=pass smtp.mailfrom=${from}\r\n`;
  const text = isAuthentic ? `${results}${raw}` : raw;
  const bytes = typeof text === "string" ? new TextEncoder().encode(text) : text;
  let rejection: string | null = null;
  const message = {
    from,
    to,
    headers: new Headers(),
    raw: new Blob([bytes as Uint8Array<ArrayBuffer>]).stream(),
    rawSize: bytes.byteLength,
    setReject: (reason: string) => {
      rejection = reason;
    },
  };
  await receiveEmail(message as unknown as ForwardableEmailMessage, { ...env, ...trusted, ...bindings } as Env);
  return rejection;
}

/** Returns the keys of the objects of a mailbox. */
export async function objectsOf(mailboxId: string): Promise<string[]> {
  const { objects } = await env.CONTENT.list({ prefix: `mailboxes/${mailboxId}/` });
  return objects.map(({ key }) => key);
}
