/** Events of persons: names, limits and payloads (docs/contract/events.md#send-events). Pure. */

/** Names of callers do not begin with these. */
const RESERVED_PREFIXES = ["contact.", "topic.", "email."] as const;

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/** Limits of events (docs/contract/limits.md#counts). Times in milliseconds. */
export const eventLimits = {
  nameCharacters: 64,
  /** JSON of the data of one event, in bytes. */
  dataBytes: 16_384,
  /** JSON of the changed fields of a contact: the data of their event has ids beside them. */
  changedFieldsBytes: 16_384 - 256,
  /** Events of one request. */
  batch: 500,
  futureMs: 5 * MINUTE,
  pastMs: 90 * DAY,
  /** How long the first event of a workspace may wait for the engine before further ones are refused. */
  waitMs: 10 * MINUTE,
  /** How long an event is kept. */
  keptMs: 90 * DAY,
} as const;

/** An event of a person as it is stored. */
export interface PersonEvent {
  /** Number of the workspace. */
  workspace: number;
  /** A UUID. An event whose id exists is not stored again. */
  id: string;
  /** Canonical address, as contacts.email_key. */
  emailKey: string;
  name: string;
  data: Readonly<Record<string, unknown>>;
  /** Milliseconds since 1970. */
  occurredAt: number;
}

const NAME = /^[A-Za-z0-9._-]+$/;

/** Returns why the name of a caller's event is refused, or null. */
export function eventNameIssue(name: string): string | null {
  const { nameCharacters } = eventLimits;
  if (name.length === 0 || name.length > nameCharacters) return `name must have 1 to ${nameCharacters} characters`;
  if (!NAME.test(name)) return "name may have letters, digits, dots, hyphens and underscores only";
  const prefix = RESERVED_PREFIXES.find((reserved) => name.startsWith(reserved));
  return prefix === undefined ? null : `names that begin with ${prefix} are those of the service`;
}

/** Events about emails, in the order of the digit that they have in an id. */
const EMAIL_EVENTS = ["email.delivered", "email.opened", "email.clicked", "email.bounced"] as const;
export type EmailEvent = (typeof EMAIL_EVENTS)[number];

/** Events that the service records. */
export const SERVICE_EVENTS = [
  "contact.added",
  "contact.confirmed",
  "contact.field_changed",
  "contact.removed",
  "topic.subscribed",
  "topic.unsubscribed",
  ...EMAIL_EVENTS,
] as const;

/**
 * Returns the id of the event about a recipient of an email: a UUIDv8 (RFC 9562 5.8) of the email's id, with the event and the position of
 * the recipient in place of the version and the sequence. So each event is stored once for an email and a recipient.
 */
export function emailEventId(emailId: string, name: EmailEvent, recipient: number): string {
  const place = EMAIL_EVENTS.indexOf(name).toString(16) + recipient.toString(16).padStart(2, "0");
  return `${emailId.slice(0, 14)}8${place}${emailId.slice(18)}`;
}
