/** From an open socket to a conversation that is ready for MAIL: greeting, EHLO, STARTTLS, AUTH. Throws ConnectError. */

import { withTimeout } from "../../lib/deadline.ts";
import { ask, demand } from "./ask.ts";
import { authenticate } from "./auth.ts";
import { NO_CAPABILITIES, parseCapabilities, type ServerCapabilities } from "./capabilities.ts";
import { Conversation } from "./conversation.ts";
import type { EgressSettings } from "./egress-url.ts";
import { ConnectError } from "./transport.ts";

/** Deadlines of the opening, in milliseconds. */
export interface HandshakeTiming {
  connectMs: number;
  replyMs: number;
}

export interface Opened {
  conversation: Conversation;
  server: ServerCapabilities;
}

/** Runs the opening over a connected socket. On failure the socket is closed and ConnectError says where it happened. */
export async function shakeHands(socket: Socket, settings: EgressSettings, timing: HandshakeTiming): Promise<Opened> {
  const plain = new Conversation(socket);
  let conversation = plain;
  try {
    demand("greeting", await plain.expect(timing.replyMs));
    let server = await sayHello(plain, settings, timing.replyMs);
    if (settings.tls === "starttls") {
      conversation = new Conversation(await startTls(plain, server, settings, timing));
      // What was said before TLS may have been said by anybody (RFC 3207 4.2).
      server = await sayHello(conversation, settings, timing.replyMs);
    }
    if (settings.credentials) await authenticate(conversation, server, settings.credentials, timing.replyMs);
    return { conversation, server };
  } catch (error) {
    plain.end("the opening failed");
    conversation.end("the opening failed");
    throw error;
  }
}

/** EHLO, or HELO where EHLO is refused for good (RFC 5321 3.2); not where TLS is due, which HELO cannot offer. */
async function sayHello(
  conversation: Conversation,
  settings: EgressSettings,
  replyMs: number,
): Promise<ServerCapabilities> {
  const reply = await ask(conversation, "ehlo", `EHLO ${settings.ehloName}`, replyMs);
  if (reply.code < 500 || settings.tls === "starttls") return parseCapabilities(demand("ehlo", reply).lines);
  demand("ehlo", await ask(conversation, "ehlo", `HELO ${settings.ehloName}`, replyMs));
  return NO_CAPABILITIES;
}

async function startTls(
  plain: Conversation,
  server: ServerCapabilities,
  settings: EgressSettings,
  timing: HandshakeTiming,
): Promise<Socket> {
  if (!server.startTls) throw new ConnectError("starttls", null, "the server does not offer STARTTLS");
  const answer = plain.command("STARTTLS", timing.replyMs, "last");
  void plain.flush();
  demand("starttls", await answer);
  const socket = plain.release();
  if (!socket) throw new ConnectError("starttls", null, "the server sent more than its reply to STARTTLS in clear");
  try {
    return await secure(socket, settings.serverName, timing.connectMs);
  } catch (error) {
    socket.close().catch(() => {});
    const reason = error instanceof Error ? error.message : "unknown";
    throw new ConnectError("tls", null, `the TLS handshake failed: ${reason}`);
  }
}

async function secure(socket: Socket, serverName: string | null, connectMs: number): Promise<Socket> {
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
