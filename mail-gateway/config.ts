import { readFileSync } from "node:fs";
import { hostname } from "node:os";

/** Limits of one role. Times in milliseconds. */
export interface GatewayLimits {
  /** Connections at a time, in all and of one address. */
  connections: number;
  connectionsPerIp: number;
  /** New connections of one address a minute. */
  connectionsPerMinute: number;
  /** Failed logins of one connection, after which it is closed. */
  failedLogins: number;
  /** Bytes of a command line. */
  commandBytes: number;
  /** Bytes of a message on the wire. */
  messageBytes: number;
  /** Recipients of one message. */
  recipients: number;
  /** Wait for the next byte of a mail program that has logged in (RFC 3501 5.4: at least 30 minutes). */
  imapIdleMs: number;
  /** Wait for the next byte of a client. */
  idleMs: number;
  /** Time until a client of submission has logged in. */
  loginMs: number;
  /** Time that one message may take, and a connection in all. */
  messageMs: number;
  connectionMs: number;
  /** Time that open messages get when the gateway stops. */
  closeMs: number;
}

/** A port and how TLS begins on it. */
export interface Listener {
  port: number;
  isImplicitTls: boolean;
}

/** Configuration of the gateway. */
export interface GatewayConfig {
  /** Host name in the greeting, in Received and in Authentication-Results. */
  name: string;
  /** Address to listen on. */
  host: string;
  /** Base URL of the Worker. */
  workerUrl: string;
  /** Secret that the gateway shares with the Worker. */
  secret: string;
  submission: Listener[];
  mx: Listener[];
  imap: Listener[];
  healthPort: number | null;
  tls: { keyFile: string; certificateFile: string };
  /** DNS over HTTPS resolver for SPF, DKIM and DMARC; null: the resolver of the system. */
  dnsResolverUrl: string | null;
  /** Base URL of rspamd, which MX asks about each message; null: none. */
  rspamdUrl: string | null;
  limits: GatewayLimits;
}

type Variables = Readonly<Record<string, string | undefined>>;

const DEFAULT_LIMITS: GatewayLimits = {
  connections: 1_000,
  connectionsPerIp: 50,
  connectionsPerMinute: 300,
  failedLogins: 3,
  commandBytes: 4_096,
  messageBytes: 36 * 1024 * 1024,
  recipients: 50,
  idleMs: 60_000,
  imapIdleMs: 1_830_000,
  loginMs: 60_000,
  messageMs: 600_000,
  connectionMs: 3_600_000,
  closeMs: 10_000,
};

/** Names of the variables of limits: `LIMIT_CONNECTIONS_PER_IP` for `connectionsPerIp`. */
const variableOf = (limit: string) => `LIMIT_${limit.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;

/** Reads the configuration from environment variables (docs/operating/gateway.md). Throws an Error that names a wrong variable. */
export function readConfig(env: Variables): GatewayConfig {
  const required = (name: string) => {
    const value = env[name] || (env[`${name}_FILE`] ? readFileSync(env[`${name}_FILE`] ?? "", "utf8").trim() : "");
    if (!value) throw new Error(`${name} is missing`);
    return value;
  };
  const ports = (name: string, isImplicitTls: boolean): Listener[] =>
    (env[name] ?? "")
      .split(",")
      .flatMap((text) => (text.trim() === "" ? [] : [{ port: toPort(name, text), isImplicitTls }]));
  const limits = Object.fromEntries(
    Object.entries(DEFAULT_LIMITS).map(([limit, value]) => [limit, toNumber(variableOf(limit), env, value)]),
  ) as unknown as GatewayLimits;
  const config: GatewayConfig = {
    name: env.GATEWAY_NAME || hostname(),
    host: env.GATEWAY_HOST || "::",
    workerUrl: required("WORKER_URL").replace(/\/+$/, ""),
    secret: required("GATEWAY_SECRET"),
    submission: [...ports("SUBMISSION_PORTS", false), ...ports("SUBMISSION_TLS_PORTS", true)],
    mx: ports("MX_PORTS", false),
    imap: [...ports("IMAP_PORTS", false), ...ports("IMAP_TLS_PORTS", true)],
    healthPort: env.HEALTH_PORT ? toPort("HEALTH_PORT", env.HEALTH_PORT) : null,
    tls: { keyFile: required("TLS_KEY_FILE"), certificateFile: required("TLS_CERTIFICATE_FILE") },
    dnsResolverUrl: env.DNS_RESOLVER_URL || null,
    rspamdUrl: env.RSPAMD_URL?.replace(/\/+$/, "") || null,
    limits,
  };
  if (config.secret.length < 32) throw new Error("GATEWAY_SECRET must have at least 32 characters");
  if (config.submission.length + config.mx.length + config.imap.length === 0)
    throw new Error("SUBMISSION_PORTS, SUBMISSION_TLS_PORTS, MX_PORTS, IMAP_PORTS and IMAP_TLS_PORTS name no port");
  return config;
}

function toPort(name: string, text: string): number {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) throw new Error(`${name} is "${text}"; it must list ports`);
  return port;
}

function toNumber(name: string, env: Variables, standard: number): number {
  const value = env[name] ? Number(env[name]) : standard;
  if (!Number.isInteger(value) || value < 1) throw new Error(`${name} must be a whole number above 0`);
  return value;
}
