import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import { type ResolverAddress, readDaneResolver } from "./dane/resolver-address.ts";

/** Limits of the egress. Times in ms. */
export interface EgressLimits {
  /** Connections to receivers at a time, in all. */
  connections: number;
  /** Bytes of a message on the wire, and of one whose MAIL command has no SIZE. */
  messageBytes: number;
  unsizedBytes: number;
  /** Recipients of one transaction. */
  recipients: number;
  /** Connecting to a host of a receiver and, after STARTTLS, the TLS handshake. */
  connectMs: number;
  /** Each reply of a receiver until EHLO has one, each later one, and that to the final dot (RFC 5321 4.5.3.2). */
  greetingMs: number;
  replyMs: number;
  /** All of a transaction before its final dot: a receiver may reply to each recipient just in time. */
  transactionMs: number;
  finalDotMs: number;
  /** Time for which an unused connection to a receiver is kept. */
  idleMs: number;
  /** Time for which a host that could not be reached is not tried again. */
  unreachableMs: number;
  /** The longest wait for pace that takes place in memory. */
  waitMs: number;
  /** The longest wait of RCPT for DNS. */
  dnsMs: number;
  /** After this time without a result the Worker is told that an email is held. */
  heldMs: number;
  /** The longest wait of a result for others that go in the same call. */
  groupMs: number;
  /** Results of final dots without acknowledgement from which no further final dot is sent. */
  unacknowledged: number;
  /** No final dot is sent with less left of its lease, which is renewed when `renewMs` are left. */
  dotLeaseMs: number;
  renewMs: number;
  /** Time for results and acknowledgements when the egress stops. */
  closeMs: number;
}

/** A port and how TLS begins on it: `none` also goes without login. */
export interface Listener {
  port: number;
  tls: "starttls" | "implicit" | "none";
}

/** Configuration of the egress. */
export interface EgressConfig {
  /** Host name in greeting and EHLO. */
  name: string;
  /** Address to listen on. */
  host: string;
  listeners: Listener[];
  /** The login of the Worker; null when no listener asks for one. */
  login: { user: string; password: string } | null;
  tls: { keyFile: string; certificateFile: string } | null;
  workerUrl: string;
  secret: string;
  healthPort: number | null;
  /** Address from which mail leaves; null: the system chooses it. */
  sourceAddress: string | null;
  memoryBytes: number;
  /** File with receivers of the operator; null: none. */
  receiversFile: string | null;
  /** Addresses of DNS servers, with port; empty: those of the system. */
  dnsServers: string[];
  /** The validating resolver on this machine, by which everything is looked up then; null: no DANE. */
  daneResolver: ResolverAddress | null;
  /** Port of receivers. */
  deliveryPort: number;
  /** Port of the servers of MTA-STS policies. */
  policyPort: number;
  /** True: mail may go to private addresses. */
  allowsPrivateAddresses: boolean;
  /** File with certificate authorities for receivers; null: those of the system. */
  caFile: string | null;
  /** The warm-up of the source address; null: none. */
  warmUp: {
    /** Start of its first day for all receivers, in ms since 1970; null: that of each receiver is its first day with mail. */
    since: number | null;
  } | null;
  limits: EgressLimits;
}

type Variables = Readonly<Record<string, string | undefined>>;

const DEFAULT_LIMITS: EgressLimits = {
  connections: 2_000,
  messageBytes: 36 * 1024 * 1024,
  unsizedBytes: 1024 * 1024,
  recipients: 50,
  connectMs: 30_000,
  greetingMs: 60_000,
  replyMs: 300_000,
  transactionMs: 600_000,
  finalDotMs: 600_000,
  idleMs: 10_000,
  unreachableMs: 60_000,
  waitMs: 60_000,
  dnsMs: 2_000,
  heldMs: 2_000,
  groupMs: 100,
  unacknowledged: 200,
  dotLeaseMs: 11 * 60_000,
  renewMs: 12 * 60_000,
  closeMs: 30_000,
};

const MEGABYTE = 1024 * 1024;
const LOOPBACK = ["127.0.0.1", "::1", "localhost"];

/** Returns the name of the variable of a limit: `LIMIT_CONNECT_MS` for `connectMs`. */
const variableOf = (limit: string) => `LIMIT_${limit.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;

/** Reads the configuration from environment variables (docs/egress.md). Throws an Error that names a wrong variable. */
export function readConfig(env: Variables): EgressConfig {
  const host = env.EGRESS_HOST || "::";
  const listeners = [
    ...listenersOf(env, "EGRESS_PORTS", "starttls"),
    ...listenersOf(env, "EGRESS_TLS_PORTS", "implicit"),
    ...listenersOf(env, "EGRESS_INSECURE_PORTS", "none"),
  ];
  if (listeners.length === 0) throw new Error("EGRESS_PORTS and EGRESS_TLS_PORTS name no port");
  if (listeners.some(({ tls }) => tls === "none") && !LOOPBACK.includes(host))
    throw new Error("EGRESS_INSECURE_PORTS requires an EGRESS_HOST of loopback");
  const isSecure = listeners.some(({ tls }) => tls !== "none");
  const secret = required(env, "GATEWAY_SECRET");
  if (secret.length < 32) throw new Error("GATEWAY_SECRET must have at least 32 characters");
  return {
    name: env.EGRESS_NAME || hostname(),
    host,
    listeners,
    login: isSecure ? { user: required(env, "EGRESS_USER"), password: required(env, "EGRESS_PASSWORD") } : null,
    tls: isSecure
      ? { keyFile: required(env, "TLS_KEY_FILE"), certificateFile: required(env, "TLS_CERTIFICATE_FILE") }
      : null,
    workerUrl: required(env, "WORKER_URL").replace(/\/+$/, ""),
    secret,
    healthPort: env.HEALTH_PORT ? toPort("HEALTH_PORT", env.HEALTH_PORT) : null,
    sourceAddress: env.SOURCE_ADDRESS || null,
    memoryBytes: toNumber(env, "MEMORY_MB", 256) * MEGABYTE,
    receiversFile: env.RECEIVERS_FILE || null,
    dnsServers: listOf(env, "DNS_SERVERS"),
    daneResolver: readDaneResolver(env.DANE_RESOLVER, env.DNS_SERVERS),
    deliveryPort: env.DELIVERY_PORT ? toPort("DELIVERY_PORT", env.DELIVERY_PORT) : 25,
    policyPort: env.POLICY_PORT ? toPort("POLICY_PORT", env.POLICY_PORT) : 443,
    allowsPrivateAddresses: toChoice(env, "ALLOW_PRIVATE_ADDRESSES", ["off", "on"]) === "on",
    caFile: env.CA_FILE || null,
    warmUp: readWarmUp(env),
    limits: readLimits(env),
  };
}

function readWarmUp(env: Variables): EgressConfig["warmUp"] {
  if (toChoice(env, "WARM_UP", ["off", "careful"]) === "off") return null;
  const since = env.WARM_UP_SINCE ? Date.parse(env.WARM_UP_SINCE) : null;
  if (Number.isNaN(since)) throw new Error("WARM_UP_SINCE must be a date, such as 2026-11-23");
  return { since };
}

function readLimits(env: Variables): EgressLimits {
  const limits = { ...DEFAULT_LIMITS };
  for (const limit of Object.keys(limits) as (keyof EgressLimits)[])
    limits[limit] = toNumber(env, variableOf(limit), limits[limit]);
  return limits;
}

/** Returns the value of a variable, or the content of the file that `<name>_FILE` names. */
function required(env: Variables, name: string): string {
  const file = env[`${name}_FILE`];
  const value = env[name] || (file ? readFileSync(file, "utf8").trim() : "");
  if (!value) throw new Error(`${name} is missing`);
  return value;
}

function listOf(env: Variables, name: string): string[] {
  return (env[name] ?? "").split(",").flatMap((text) => (text.trim() === "" ? [] : [text.trim()]));
}

function listenersOf(env: Variables, name: string, tls: Listener["tls"]): Listener[] {
  return listOf(env, name).map((text) => ({ port: toPort(name, text), tls }));
}

function toPort(name: string, text: string): number {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) throw new Error(`${name} is "${text}"; it must list ports`);
  return port;
}

function toNumber(env: Variables, name: string, standard: number): number {
  const value = env[name] ? Number(env[name]) : standard;
  if (!Number.isInteger(value) || value < 1) throw new Error(`${name} must be a whole number above 0`);
  return value;
}

/** Returns the value of a variable; the first one is the default. */
function toChoice(env: Variables, name: string, values: readonly string[]): string {
  const value = env[name] || (values[0] ?? "");
  if (!values.includes(value)) throw new Error(`${name} must be one of ${values.join(", ")}`);
  return value;
}
