/** Takes a connected socket to a session that is ready for MAIL: greeting, EHLO, STARTTLS, AUTH. */

import { toBase64, utf8 } from "../../lib/bytes.ts";
import { withTimeout } from "../../lib/deadline.ts";
import { NO_CAPABILITIES, parseCapabilities, type ServerCapabilities } from "./capabilities.ts";
import type { EgressSettings, TlsMode } from "./egress-url.ts";
import type { RawReply } from "./replies.ts";
import { requireSuccess, sendCommand } from "./send-command.ts";
import { SmtpSession } from "./smtp-session.ts";
import type { SmtpSocket } from "./socket.ts";
import { ConnectError } from "./transport.ts";

/** Timeouts of the handshake, in milliseconds. */
export type HandshakeTiming = Record<"connectMs" | "replyMs", number>;

/** The settings of an egress that a handshake needs. */
export interface HandshakeSettings extends Pick<EgressSettings, "credentials" | "serverName" | "ehloName"> {
  /** `opportunistic`: STARTTLS where the server offers it. */
  tls: TlsMode | "opportunistic";
}

/** Opens the SMTP session on a connected socket. On failure it closes the socket and throws ConnectError with the phase. */
export async function performHandshake(socket: SmtpSocket, settings: HandshakeSettings, timing: HandshakeTiming) {
  const plain = new SmtpSession(socket);
  let session = plain;
  try {
    requireSuccess("greeting", await plain.awaitReply(timing.replyMs));
    let server = await sendEhlo(plain, settings, timing.replyMs);
    if (settings.tls === "starttls" || (settings.tls === "opportunistic" && server.startTls)) {
      session = new SmtpSession(await startTls(plain, server, settings, timing));
      // An attacker may have sent the capabilities before TLS, so they are discarded (RFC 3207 4.2).
      server = await sendEhlo(session, settings, timing.replyMs);
    }
    if (settings.credentials) await authenticate(session, server, settings.credentials, timing.replyMs);
    return { session, server };
  } catch (error) {
    plain.close("the handshake failed");
    session.close("the handshake failed");
    throw error;
  }
}

/** Sends EHLO, then HELO if EHLO gets 5xx (RFC 5321 3.2). With STARTTLS there is no HELO, which cannot offer TLS. */
async function sendEhlo(session: SmtpSession, settings: HandshakeSettings, replyMs: number) {
  const reply = await sendCommand(session, "ehlo", `EHLO ${settings.ehloName}`, replyMs);
  if (reply.code < 500 || settings.tls === "starttls") return parseCapabilities(requireSuccess("ehlo", reply).lines);
  requireSuccess("ehlo", await sendCommand(session, "ehlo", `HELO ${settings.ehloName}`, replyMs));
  return NO_CAPABILITIES;
}

async function startTls(
  plain: SmtpSession,
  server: ServerCapabilities,
  settings: HandshakeSettings,
  timing: HandshakeTiming,
): Promise<SmtpSocket> {
  if (!server.startTls) throw new ConnectError("starttls", null, "the server does not offer STARTTLS");
  requireSuccess("starttls", await plain.send("STARTTLS", timing.replyMs, "last"));
  const socket = plain.detachSocket();
  if (!socket) throw new ConnectError("starttls", null, "the server sent clear text after its reply to STARTTLS");
  try {
    return await upgradeToTls(socket, settings.serverName, timing.connectMs);
  } catch (error) {
    socket.close().catch(() => {});
    const reason = error instanceof Error ? error.message : "unknown";
    throw new ConnectError("tls", null, `the TLS handshake failed: ${reason}`);
  }
}

async function upgradeToTls(socket: SmtpSocket, serverName: string | null, connectMs: number): Promise<SmtpSocket> {
  const upgraded = serverName === null ? socket.startTls() : socket.startTls({ expectedServerHostname: serverName });
  upgraded.closed.catch(() => {});
  try {
    await withTimeout(connectMs, upgraded.opened);
    return upgraded;
  } catch (error) {
    upgraded.close().catch(() => {});
    throw error;
  }
}

/** AUTH PLAIN and LOGIN (RFC 4954, RFC 4616). parseEgressUrl allows credentials only with TLS, or with an explicit tls=off. */

type Credentials = NonNullable<EgressSettings["credentials"]>;

/** RFC 5321 4.5.3.1.4: a command line has at most 512 octets with CRLF. A longer response is sent after the 334. */
const LINE_MAX_BYTES = 510;

type SendLine = (line: string) => Promise<RawReply>;

/** Authenticates with PLAIN, or LOGIN if PLAIN is not offered. Throws ConnectError in phase `auth`; no message contains a secret. */
async function authenticate(
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

const base64 = (text: string) => toBase64(utf8(text));
