/** The events of webhooks and their payloads (docs/contract/webhooks.md#webhook-events). Pure. */

/** Types of events of emails. */
const emailEventTypes = [
  "email.sent",
  "email.deferred",
  "email.delivered",
  "email.opened",
  "email.clicked",
  "email.bounced",
  "email.failed",
  "email.complained",
  "email.unsubscribed",
  "email.suppressed",
] as const;
type WebhookEventType = (typeof emailEventTypes)[number];

/** Type of the event of received mail, which only readers of every mailbox may subscribe to. */
export const RECEIVED = "email.received";

/** Types that a webhook may subscribe to. Events that are not of emails are recorded where they happen. */
export const webhookEventTypes = [
  ...emailEventTypes,
  RECEIVED,
  "domain.verified",
  "domain.failed",
  "automation.run_started",
  "automation.run_ended",
  "automation.paused",
] as const;

/** An event of the timeline of an email, as far as webhooks need it. */
export interface TimelineEvent {
  type: string;
  /** Milliseconds since 1970. */
  at: number;
  metadata?: Record<string, unknown>;
}

/** The part of an email that decides about its webhook events. */
export interface EmailOfEvents {
  workspace: number;
  id: string;
  status: string;
  recipients: readonly { kind: string; email: string; state: string }[];
}

/** An event for the webhooks of a workspace. The statement that records it adds what the row of the email has. */
export interface WebhookEvent {
  workspace: number;
  /** Id of the email. */
  email: string;
  event: WebhookEventType;
  recipient: string;
  /** ISO 8601. */
  timestamp: string;
  /** `domain` is null where the row's sending domain is to be filled in. */
  metadata: Record<string, unknown>;
}

type Metadata = Record<string, unknown>;

const fieldsOf =
  (...names: readonly string[]) =>
  (of: Metadata) =>
    Object.fromEntries(names.map((name) => [name, of[name] ?? null]));

/** The webhook event of each type of timeline event, with its metadata beside `subject`, `tag` and `tags`. */
const EVENTS: Readonly<Record<string, { event: WebhookEventType; metadata: (of: Metadata) => Metadata }>> = {
  sent: { event: "email.sent", metadata: () => ({ domain: null }) },
  deferred: { event: "email.deferred", metadata: fieldsOf("response", "reason", "attempt", "next_attempt_at") },
  suppressed: { event: "email.suppressed", metadata: fieldsOf("reason") },
  delivered: {
    event: "email.delivered",
    metadata: ({ response }) => ({ domain: null, smtp_response: response ?? null }),
  },
  open: { event: "email.opened", metadata: (of) => clientOf(of) },
  click: { event: "email.clicked", metadata: (of) => ({ url: of.url ?? null, ...clientOf(of) }) },
  bounced: {
    event: "email.bounced",
    metadata: ({ dsn, response, bounce_type }) => ({
      dsn: dsn ?? null,
      response: response ?? null,
      bounce_type: bounce_type ?? "hard",
    }),
  },
  failed: { event: "email.failed", metadata: (of) => ({ error: errorOf(of) }) },
  rejected: { event: "email.failed", metadata: (of) => ({ error: errorOf(of) }) },
  complained: { event: "email.complained", metadata: fieldsOf("feedback_type") },
  unsubscribed: { event: "email.unsubscribed", metadata: fieldsOf("method", "topic_id", "topic_name") },
};

/** Types of timeline events that show that the egress took the email for a recipient, as `sent_at` does. */
const HANDED_OVER: readonly string[] = ["sent", "delivered", "complained"];

const SUPPRESSED = "the recipient is on the suppression list";

/** `machine` and `repeat` are as in the timeline: opens and clicks that do not count. */
function clientOf({ user_agent, ip, machine, repeat }: Metadata): Metadata {
  const flags = { ...(machine === true ? { machine } : {}), ...(repeat === true ? { repeat } : {}) };
  return { user_agent: user_agent ?? null, ip: ip ?? null, ...flags };
}

const errorOf = ({ reason, response }: Metadata) => response ?? reason ?? "the email could not be sent";

/**
 * Returns the webhook events of the timeline events that one change of an email added: one for each event and recipient, and
 * `email.sent` before the first that shows the hand-over to a recipient. `before` is null for a new email; one that becomes
 * `rejected` because its recipients are suppressed fails for each of them.
 */
export function toWebhookEvents(
  before: { status: string; events: readonly TimelineEvent[] } | null,
  email: EmailOfEvents,
  added: readonly TimelineEvent[],
): WebhookEvent[] {
  // The body that several recipients share does not tell who opened it.
  const firstTo = email.recipients.find(({ kind }) => kind === "to") ?? email.recipients[0];
  const base = { workspace: email.workspace, email: email.id };
  const handOvers = new HandOvers(before?.events ?? []);
  const events = added.flatMap(({ type, at, metadata = {} }): WebhookEvent[] => {
    const recipient = typeof metadata.recipient === "string" ? metadata.recipient : firstTo?.email;
    // An email that is rejected when it is accepted has one `rejected` event, and a suppressed recipient or several.
    if (recipient === undefined || (type === "rejected" && metadata.recipient === undefined)) return [];
    return handOvers.typesFor(type, recipient).flatMap((name) => {
      const known = EVENTS[name];
      return known
        ? [{ ...base, event: known.event, recipient, timestamp: iso(at), metadata: known.metadata(metadata) }]
        : [];
    });
  });
  if (email.status !== "rejected" || before?.status === "rejected") return events;
  const at = added.reduce((latest, event) => Math.max(latest, event.at), 0);
  const suppressed = email.recipients.filter(({ state }) => state === "suppressed");
  return [
    ...events,
    ...suppressed.map(({ email: recipient }): WebhookEvent => {
      return { ...base, event: "email.failed", recipient, timestamp: iso(at), metadata: { error: SUPPRESSED } };
    }),
  ];
}

const iso = (ms: number) => new Date(ms).toISOString();

/** Knows which events have shown the hand-over to each recipient. */
class HandOvers {
  readonly #shown = new Map<string, Set<string>>();

  constructor(events: readonly TimelineEvent[]) {
    for (const { type, metadata } of events)
      if (typeof metadata?.recipient === "string") this.typesFor(type, metadata.recipient);
  }

  /** Returns the types to deliver for an event: a hand-over that a DSN or a complaint showed first is not sent twice. */
  typesFor(type: string, recipient: string): string[] {
    if (!HANDED_OVER.includes(type)) return [type];
    const shown = this.#shown.get(recipient) ?? new Set();
    const isFirst = shown.size === 0;
    const isLate = type === "sent" && !isFirst && !shown.has("sent");
    this.#shown.set(recipient, shown.add(type));
    if (isLate) return [];
    return isFirst && type !== "sent" ? ["sent", type] : [type];
  }
}
