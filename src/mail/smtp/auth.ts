/** AUTH PLAIN and LOGIN (RFC 4954, RFC 4616). parseEgressUrl allows credentials only with TLS, or with an explicit tls=off. */

import type { ServerCapabilities } from "./capabilities.ts";
import type { RawReply } from "./replies.ts";
import { requireSuccess, sendCommand } from "./send-command.ts";
import type { SmtpSession } from "./smtp-session.ts";
import { ConnectError } from "./transport.ts";

export interface Credentials {
  username: string;
  password: string;
}

/** RFC 5321 4.5.3.1.4: a command line has at most 512 octets with CRLF. A longer response is sent after the 334. */
const LINE_MAX_BYTES = 510;

type SendLine = (line: string) => Promise<RawReply>;

/** Authenticates with PLAIN, or LOGIN if PLAIN is not offered. Throws ConnectError in phase `auth`; no message contains a secret. */
export async function authenticate(
  session: SmtpSession,
  server: ServerCapabilities,
  credentials: Credentials,
  replyMs: number,
): Promise<void> {
  const sendLine = (line: string) => sendCommand(session, "auth", line, replyMs);
  if (server.auth.has("PLAIN")) return authPlain(sendLine, credentials);
  if (server.auth.has("LOGIN")) return authLogin(sendLine, credentials);
  throw new ConnectError("auth", null, "the server offers neither AUTH PLAIN nor AUTH LOGIN");
}

async function authPlain(sendLine: SendLine, { username, password }: Credentials): Promise<void> {
  const response = base64(`\0${username}\0${password}`);
  const line = `AUTH PLAIN ${response}`;
  if (line.length <= LINE_MAX_BYTES) {
    requireSuccess("auth", await sendLine(line));
    return;
  }
  requireChallenge(await sendLine("AUTH PLAIN"));
  requireSuccess("auth", await sendLine(response));
}

async function authLogin(sendLine: SendLine, { username, password }: Credentials): Promise<void> {
  requireChallenge(await sendLine("AUTH LOGIN"));
  requireChallenge(await sendLine(base64(username)));
  requireSuccess("auth", await sendLine(base64(password)));
}

/** Throws ConnectError unless the reply is 334. */
function requireChallenge(reply: RawReply): void {
  if (reply.code === 334) return;
  requireSuccess("auth", reply);
  throw new ConnectError("auth", null, "the server accepted AUTH before it received the password");
}

function base64(text: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)));
}
