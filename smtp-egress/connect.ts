import net from "node:net";
import type { ConnectionOptions } from "node:tls";
import { withTimeout } from "../src/lib/deadline.ts";
import { ConnectError, type Connection, performHandshake, smtpConnection } from "../src/mail/smtp/client.ts";
import type { EgressLimits } from "./config.ts";
import { NodeSocket } from "./node-socket.ts";

export interface ConnectSettings {
  /** Name in EHLO. */
  name: string;
  port: number;
  /** Address from which to connect; null: the system chooses it. */
  sourceAddress: string | null;
  /** Certificate authorities; null: those of the system. */
  ca: Buffer | null;
  limits: Pick<EgressLimits, "connectMs" | "greetingMs" | "replyMs" | "finalDotMs">;
}

/** A server to connect to. */
export interface Target {
  /** Name of the host, for SNI and for its certificate. */
  host: string;
  address: string;
  /** True: TLS with a certificate of the host, or no connection. False: TLS if it works, with any certificate. */
  enforcesTls: boolean;
}

/** The reply to QUIT, in ms. */
const QUIT_MS = 2_000;

/**
 * Opens an SMTP connection to a server. Where TLS is not enforced and does not work, it connects again without: a message in clear
 * text is what the receiver would get from a server without TLS (RFC 7435). Throws ConnectError.
 */
export async function connectTo(target: Target, settings: ConnectSettings): Promise<Connection> {
  try {
    return await open(target, settings, target.enforcesTls ? "starttls" : "opportunistic");
  } catch (error) {
    const isOfTls = error instanceof ConnectError && (error.phase === "tls" || error.phase === "starttls");
    if (target.enforcesTls || !isOfTls) throw error;
    return open(target, settings, "off");
  }
}

async function open(target: Target, settings: ConnectSettings, tls: "starttls" | "opportunistic" | "off") {
  const { connectMs, greetingMs, replyMs, finalDotMs } = settings.limits;
  const socket = await connectSocket(target, settings);
  const handshake = { tls, credentials: null, serverName: null, ehloName: settings.name };
  const { session, server } = await performHandshake(socket, handshake, { connectMs, replyMs: greetingMs });
  return smtpConnection(session, server, { replyMs, finalDotMs, quitMs: QUIT_MS });
}

async function connectSocket(target: Target, settings: ConnectSettings): Promise<NodeSocket> {
  const { sourceAddress, port, limits } = settings;
  const localAddress = sourceAddress ?? undefined;
  let socket: NodeSocket | null = null;
  try {
    const connecting = net.connect({ host: target.address, port, localAddress });
    socket = new NodeSocket(connecting, tlsOptions(target, settings));
    await withTimeout(limits.connectMs, socket.opened);
    return socket;
  } catch (error) {
    void socket?.close();
    const reason = error instanceof Error ? error.message : "unknown";
    throw new ConnectError("connect", null, `cannot connect to ${target.host} [${target.address}]: ${reason}`);
  }
}

function tlsOptions({ host, enforcesTls }: Target, { ca }: ConnectSettings): ConnectionOptions {
  return {
    // An address is no server name (RFC 6066 3).
    ...(net.isIP(host.replace(/^\[(?:ipv6:)?|\]$/g, "")) ? {} : { servername: host }),
    rejectUnauthorized: enforcesTls,
    ...(ca ? { ca } : {}),
  };
}
