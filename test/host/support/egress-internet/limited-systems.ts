/** Mail systems with limits that the egress does not know, each kind alone and in pairs, and the share of them that is used. */
import type { Behaviour, MailSystem } from "../../../../dev/internet/index.ts";
import type { Counters } from "../../../../dev/internet/smtp/receiver.ts";

/** A limit of a mail system: its behaviour, and the share of it that these counts of some seconds use. */
interface Limit {
  behaviour: Behaviour;
  /** `flow`: the tightest flow limit of a system is to be used. `shape`: each is to be used. */
  kind: "flow" | "shape";
  used(counts: Counters, seconds: number): number;
}

export interface LimitedSystem extends MailSystem {
  limits: readonly Limit[];
  /** Recipients of each email. */
  recipients: number;
}

const STORING_MS = 400;

const rate = (messagesPerMinute: number): Limit => ({
  behaviour: { rate: { messagesPerMinute } },
  kind: "flow",
  used: ({ messages }, seconds) => messages / ((messagesPerMinute / 60) * seconds),
});

/** All of it is used when each connection is storing a message all the time. */
const connections = (most: number, isSilent = false): Limit => ({
  behaviour: { connections: { most, isSilent }, storing: { ms: STORING_MS } },
  kind: "flow",
  used: ({ messages }, seconds) => (messages * STORING_MS) / (most * seconds * 1_000),
});

const volume = (kilobytesPerSecond: number, seconds: number, reply?: string): Limit => ({
  behaviour: { volume: { bytes: kilobytesPerSecond * 1_000 * seconds, seconds, ...(reply ? { reply } : {}) } },
  kind: "flow",
  used: ({ bytes }, passed) => bytes / (kilobytesPerSecond * 1_000 * passed),
});

/** Connections that have ended count, with all of their messages: those of others are not known yet. */
const messagesPerConnection = (most: number): Limit => ({
  behaviour: { messagesPerConnection: { most }, storing: { ms: STORING_MS } },
  kind: "shape",
  used: ({ endedMessages, endedConnections }) => endedMessages / (endedConnections * most),
});

const recipientsPerMessage = (most: number): Limit => ({
  behaviour: { recipientsPerMessage: { most }, storing: { ms: STORING_MS } },
  kind: "shape",
  used: ({ recipients, messages }) => recipients / (messages * most),
});

const MANY_BYTES = "452 4.3.1 Too much data within a minute: try again later";

/** Returns the mail systems. `windowSeconds`: the time in which bytes are counted. */
export function limitedSystems(windowSeconds: number): LimitedSystem[] {
  const bytes = (kilobytesPerSecond: number, reply?: string) => volume(kilobytesPerSecond, windowSeconds, reply);
  const limits: Record<string, readonly Limit[]> = {
    rate: [rate(600)],
    connections: [connections(4)],
    "connections-silent": [connections(4, true)],
    messages: [messagesPerConnection(20)],
    recipients: [recipientsPerMessage(5)],
    bytes: [bytes(50)],
    "rate-connections": [rate(480), connections(4)],
    "rate-messages": [rate(600), messagesPerConnection(20)],
    "rate-recipients": [rate(300), recipientsPerMessage(5)],
    "bytes-connections": [bytes(40, MANY_BYTES), connections(4)],
    "bytes-messages": [bytes(50), messagesPerConnection(20)],
    "connections-messages": [connections(4), messagesPerConnection(20)],
  };
  return Object.entries(limits).map(([name, of], n) => ({
    name,
    domains: [`${name}.test`],
    mx: [`mx.${name}.test`],
    address: `127.0.11.${n + 1}`,
    behaviour: Object.assign({}, ...of.map(({ behaviour }) => behaviour)),
    limits: of,
    recipients: name.includes("recipients") ? 10 : 1,
  }));
}

/** Returns the share of what a mail system allows that is used: of its tightest flow limit, and of the least used shape. */
export function usedOf({ limits }: LimitedSystem, counts: Counters, seconds: number): number {
  const of = (kind: Limit["kind"]) =>
    limits.filter((limit) => limit.kind === kind).map(({ used }) => used(counts, seconds));
  const flows = of("flow");
  return Math.min(...of("shape"), ...(flows.length > 0 ? [Math.max(...flows)] : []));
}

/** Returns the share of the attempts that were refused: connections, messages and recipients. */
export function refusedOf({ attempts, deferrals, closedSilently }: Counters): number {
  return (deferrals + closedSilently) / attempts;
}
