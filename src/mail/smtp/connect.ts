/** SMTP submission over cloudflare:sockets. */

import { connect } from "cloudflare:sockets";
import { withTimeout } from "../../lib/deadline.ts";
import { smtpConnection } from "./connection.ts";
import type { EgressSettings } from "./egress-url.ts";
import { performHandshake } from "./handshake.ts";
import { ConnectError, type Connection, type Transport } from "./transport.ts";

/** Timeouts in milliseconds; each has a default. */
export interface SmtpOptions {
  /** TCP connect, and TLS handshake. 10 s. */
  connectMs?: number;
  /** Each reply, and each slice of the message. 30 s. */
  replyMs?: number;
  /** The reply to the final dot. 60 s: servers scan the message before they reply, and a timeout makes a duplicate. */
  finalDotMs?: number;
  /** The reply to QUIT. 2 s. */
  quitMs?: number;
}

const DEFAULTS = { connectMs: 10_000, replyMs: 30_000, finalDotMs: 60_000, quitMs: 2_000 };

/**
 * Returns the Transport for these settings. `open` throws ConnectError. With implicit TLS a Worker cannot tell a refused
 * port from a refused certificate, so both have phase `connect`.
 */
export function smtpTransport(settings: EgressSettings, options: SmtpOptions = {}): Transport {
  const timing = { ...DEFAULTS, ...options };
  return {
    async open(): Promise<Connection> {
      const socket = await connectSocket(settings, timing.connectMs);
      const { session, server } = await performHandshake(socket, settings, timing);
      return smtpConnection(session, server, timing);
    },
  };
}

const SECURE_TRANSPORT = { implicit: "on", starttls: "starttls", off: "off" } as const;

async function connectSocket({ host, port, tls }: EgressSettings, connectMs: number): Promise<Socket> {
  let socket: Socket | null = null;
  try {
    socket = connect({ hostname: host, port }, { secureTransport: SECURE_TRANSPORT[tls], allowHalfOpen: false });
    socket.closed.catch(() => {});
    await withTimeout(connectMs, socket.opened);
    return socket;
  } catch (error) {
    socket?.close().catch(() => {});
    throw new ConnectError("connect", null, `cannot connect: ${error instanceof Error ? error.message : "unknown"}`);
  }
}
