import net from "node:net";
import type { Clock } from "../mail-gateway/clock.ts";
import { withTimeout } from "../src/lib/deadline.ts";
import { ConnectError, type Connection, performHandshake, smtpConnection } from "../src/mail/smtp/client.ts";
import type { EgressLimits } from "./config.ts";
import { chainIssue, peerChain } from "./dane/match-chain.ts";
import { NodeSocket, type StartTlsOptions } from "./node-socket.ts";
import { reasonOfRule, type TlsRule } from "./tls-rule.ts";

export interface ConnectSettings {
  /** Name in EHLO. */
  name: string;
  port: number;
  /** Address from which to connect; null: the system chooses it. */
  sourceAddress: string | null;
  /** Certificate authorities; null: those of the system. */
  ca: Buffer | null;
  limits: Pick<EgressLimits, "connectMs" | "greetingMs" | "replyMs" | "transactionMs" | "finalDotMs">;
  clock: Clock;
}

/** A server to connect to. */
export interface Target {
  /** Name of the host, for SNI and for its certificate. */
  host: string;
  address: string;
  rule: TlsRule;
}

/** The reply to QUIT, in ms. */
const QUIT_MS = 2_000;
/** Characters of what is wrong with the TLS of a server: it may list all names of a certificate. The Worker takes 1,000 with the rest. */
const MAX_ISSUE = 600;

/**
 * Opens an SMTP connection to a server. Where no rule requires TLS and it does not work, it connects again without: a message in clear
 * text is what the receiver would get from a server without TLS (RFC 7435). Throws ConnectError.
 */
export async function connectTo(target: Target, settings: ConnectSettings): Promise<Connection> {
  const { rule } = target;
  try {
    return await open(target, settings, rule.kind === "opportunistic" ? "opportunistic" : "starttls");
  } catch (error) {
    const isOfTls = error instanceof ConnectError && (error.phase === "tls" || error.phase === "starttls");
    if (!isOfTls) throw error;
    if (rule.kind === "opportunistic") return open(target, settings, "off");
    const issue = error.message.slice(0, MAX_ISSUE);
    throw new ConnectError(error.phase, error.reply, `${issue}; ${reasonOfRule(rule)}`);
  }
}

async function open(target: Target, settings: ConnectSettings, tls: "starttls" | "opportunistic" | "off") {
  const { connectMs, greetingMs, replyMs, transactionMs, finalDotMs } = settings.limits;
  const socket = await connectSocket(target, settings);
  const handshake = { tls, credentials: null, serverName: null, ehloName: settings.name };
  const { session, server } = await performHandshake(socket, handshake, { connectMs, replyMs: greetingMs });
  return smtpConnection(session, server, { replyMs, transactionMs, finalDotMs, quitMs: QUIT_MS });
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

function tlsOptions({ host, rule }: Target, { ca, clock }: ConnectSettings): StartTlsOptions {
  const servername = "serverName" in rule ? rule.serverName : host;
  return {
    // An address is no server name (RFC 6066 3).
    ...(net.isIP(servername.replace(/^\[(?:ipv6:)?|\]$/g, "")) ? {} : { servername }),
    rejectUnauthorized: rule.kind === "certificate",
    ...(ca ? { ca } : {}),
    ...(rule.kind === "dane" ? { peerIssue: (socket) => chainIssue(peerChain(socket), rule, clock.now()) } : {}),
  };
}
