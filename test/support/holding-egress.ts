/** An egress that holds emails under the leases of their outbox rows, and its reports (docs/egress.md). */

import { type SmtpServerHandle, scriptedServer } from "./smtp-control.ts";
import { pathIn } from "./smtp-path.ts";
import type { Script } from "./smtp-script.ts";
import { GATEWAY_HEADERS } from "./submissions.ts";
import { apiWith } from "./workspace.ts";

const CAPABILITIES = ["PIPELINING", "SIZE", "8BITMIME", "SMTPUTF8", "ENHANCEDSTATUSCODES", "DSN", "XLEASE 2"];

/** Starts an SMTP server that offers to hold emails. */
export const holdingServer = (script: Script = {}): Promise<SmtpServerHandle> =>
  scriptedServer({ ...script, capabilities: CAPABILITIES });

/** Returns the tickets and the recipients of the mails that it holds, oldest first. */
export async function heldMails(server: SmtpServerHandle): Promise<{ ticket: string; address: string }[]> {
  const messages = await server.messages();
  return messages.flatMap(({ mail, rcpts }) => {
    const ticket = / ENVID=(\S+)/.exec(mail)?.[1] ?? "";
    return rcpts.map((rcpt) => ({ ticket, address: pathIn(rcpt) }));
  });
}

const gateway = apiWith(null);

/** Reports results of recipients. Returns the response. */
export async function report(
  results: readonly { ticket: string; address: string; result: Record<string, unknown> }[],
): Promise<{ reply: null; lost: string[] }> {
  const outcomes = results.map(({ ticket, address, result }) => ({ ticket, recipients: [{ address, result }] }));
  const response = await gateway.post("/gateway/outcomes", { address: "192.0.2.1", outcomes }, GATEWAY_HEADERS);
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
  return response.json();
}

/** Results of receivers. */
export const results = {
  accepted: {
    kind: "accepted",
    reply: { code: 250, enhanced: "2.0.0", text: "Ok: queued as 4F1" },
    relay: "mx1.example.org",
    receiver: "example.org",
  },
  refused: {
    kind: "recipient-refused",
    phase: "rcpt",
    reply: { code: 550, enhanced: "5.1.1", text: "The email account that you tried to reach does not exist" },
    relay: "mx1.example.org",
    receiver: "example.org",
  },
  deferred: {
    kind: "deferred",
    phase: "rcpt",
    reply: { code: 450, enhanced: "4.2.1", text: "The user you are trying to contact is receiving mail too quickly" },
    reason: "the server replied with a temporary failure",
    relay: "mx1.example.org",
    receiver: "example.org",
  },
  held: { kind: "held" },
  returned: { kind: "returned", reason: "the egress stops" },
} as const;
