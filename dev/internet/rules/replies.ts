import type { Behaviour } from "../behaviour.ts";
import { isGreylisted } from "./greylist.ts";

/** Circumstances of a command. */
export interface Client {
  /** The address that the connection comes from. */
  source: string;
  isSecure: boolean;
  /** Open connections of this source, this one included. */
  connections: number;
  /** Messages that this connection has sent. */
  messages: number;
}

/** Counts what a limit of the source counts, and returns whether that is within the limit. */
export interface SourceLimits {
  isWithinRate(): boolean;
  isWithinVolume(): boolean;
}

const TOO_FAST =
  "450-4.7.28 Our system has detected an unusual rate of mail originating from your\n450 4.7.28 address. Try again later.";
const TOO_MANY = "421 4.7.0 Too many connections from your address, try again later";
const TOO_MUCH = "451 4.7.1 Too many bytes from your address, try again later";
const FULL = "421 4.7.0 Too many messages on this connection";
const TOO_MANY_RECIPIENTS = "452 4.5.3 Too many recipients";
const BLOCKED = {
  greeting: "554 5.7.1 Your address is on our block list",
  mail: "550 5.7.1 Your address is on our block list",
};
const TLS_FIRST = "530 5.7.0 Must issue a STARTTLS command first";
const GREYLISTED = "451 4.7.1 Greylisted, please try again later";

/** Returns the greeting that refuses a connection, or null. Pure, as are all functions here. */
export function refuseConnection({ blocked, connections }: Behaviour, client: Client): string | null {
  if (blocked?.at === "greeting" && isBlocked(blocked, client)) return blocked.reply ?? BLOCKED.greeting;
  if (connections && client.connections > connections.most) return connections.reply ?? TOO_MANY;
  return null;
}

/** Returns whether the reply to MAIL is the last one of the connection, which has sent its messages. */
export function isFull({ messagesPerConnection }: Behaviour, { messages }: Pick<Client, "messages">): boolean {
  return messagesPerConnection !== undefined && messages >= messagesPerConnection.most;
}

/** Returns the reply that refuses MAIL, or null. A limit of the source is asked only when nothing before refuses it. */
export function refuseMail(behaviour: Behaviour, client: Client, limits: SourceLimits): string | null {
  const { blocked, tls, rate, volume, messagesPerConnection } = behaviour;
  if (tls === "required" && !client.isSecure) return TLS_FIRST;
  if (blocked?.at === "mail" && isBlocked(blocked, client)) return blocked.reply ?? BLOCKED.mail;
  if (isFull(behaviour, client)) return messagesPerConnection?.reply ?? FULL;
  if (rate && !limits.isWithinRate()) return rate.reply ?? TOO_FAST;
  if (volume && !limits.isWithinVolume()) return volume.reply ?? TOO_MUCH;
  return null;
}

/** Returns the reply that defers the next recipient of a message that has some, or null. */
export function refuseFurther({ recipientsPerMessage: limit }: Behaviour, recipients: number): string | null {
  return limit && recipients >= limit.most ? (limit.reply ?? TOO_MANY_RECIPIENTS) : null;
}

/** Returns the reply that defers RCPT by greylisting, or null. */
export function refuseRecipient({ greylist }: Behaviour, firstSeenAt: number | undefined, now: number): string | null {
  return greylist && isGreylisted(firstSeenAt, greylist.seconds, now) ? GREYLISTED : null;
}

/** Returns whether the connection closes instead of the reply to the n-th message. */
export function closesAfter({ closesAfterDot }: Behaviour, n: number): boolean {
  return closesAfterDot !== undefined && n % closesAfterDot.each === 0;
}

function isBlocked({ sources }: NonNullable<Behaviour["blocked"]>, { source }: Client): boolean {
  return sources === undefined || sources.includes(source);
}
