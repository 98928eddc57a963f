import type { CallerCtx } from "../../../access/caller.ts";
import type { StoredContent } from "../content/index.ts";
import { type EventEntry, queuedEvent, type RecipientEntry, storedKey } from "../timeline/index.ts";
import type { Sendable } from "./check.ts";
import type { Envelope, Recipient } from "./parse.ts";

/** An email before it is inserted, with every id generated. Times in milliseconds since 1970. */
export interface NewEmail {
  id: string;
  status: "queued" | "scheduled" | "rejected";
  source: string;
  domainId: string;
  mailboxId: string;
  userId: string | null;
  fromEmail: string;
  fromName: string | null;
  messageId: string;
  subject: string;
  recipients: RecipientEntry[];
  tags: string[] | null;
  events: EventEntry[];
  /** Key of the R2 object; null: the email's own. */
  contentKey: string | null;
  contentOffset: number;
  contentSize: number;
  dueAt: number | null;
  /** Id of the outbox row that it shares with other emails; null: a row of its own. */
  outboxId: string | null;
  scheduledAt: number | null;
  createdAt: number;
  rejectionReason: string | null;
  retryOfId: string | null;
  /** A small content document. It is the only copy while `contentKey` is null. */
  content: string | null;
  /** Number of its topic (topics.n in the main database); null: none. */
  topic: number | null;
  /** Id of the request that it was accepted with. None for an email of a broadcast. */
  requestId?: string;
  /** Set for an email of a broadcast. */
  personal?: PersonalEmail;
  /** Set for an email of a test domain. */
  isSandbox?: true;
}

/** Fields that make an email of a broadcast personal. */
interface PersonalEmail {
  /** Numbers of the broadcast, of its variant (0: none) and of the contact. Null: an email that counts for no broadcast. */
  broadcast: number | null;
  variant: number | null;
  contact: number | null;
  /** JSON object: values of the placeholders in the shared content. */
  variables: string;
}

const ALL_SUPPRESSED = "Every recipient is on the suppression list";
const NOT_SUBSCRIBED = "The recipient is on the suppression list, or not subscribed to the topic";

/**
 * Returns the row of a checked request. Suppressed recipients are dropped with an event each; when all are, the email is
 * `rejected` (docs/contract/suppressions.md#suppressed-recipients-of-a-send).
 */
export function toNewEmail(
  ctx: CallerCtx,
  id: string,
  { email, sender, suppressed, topic }: Sendable<Envelope>,
  content: StoredContent,
  source: string,
): NewEmail {
  const now = ctx.now();
  const recipients = email.recipients.map((recipient) => toEntry(recipient, suppressed.has(recipient.key)));
  const event = (type: EventEntry["type"], metadata?: EventEntry["metadata"]): EventEntry => ({
    id: ctx.newId(),
    type,
    at: now,
    ...(metadata ? { metadata } : {}),
  });
  const dropped = email.recipients.flatMap(({ email: recipient, key }) => {
    const reason = suppressed.get(key);
    return reason === undefined ? [] : [{ recipient, reason }];
  });
  const isRejected = dropped.length === recipients.length;
  const status = isRejected ? "rejected" : email.sendAt === null ? "queued" : "scheduled";
  return {
    id,
    status,
    source,
    domainId: sender.domainId,
    mailboxId: sender.mailboxId,
    userId: ctx.actor.userId,
    fromEmail: email.from.email,
    fromName: email.from.name,
    messageId: `<${id}@${sender.domain}>`,
    subject: email.subject,
    recipients,
    tags: email.tags,
    events: [
      ...dropped.map(({ recipient, reason }) => event("suppressed", { recipient, reason })),
      status === "queued" ? queuedEvent({ id, createdAt: now }) : event(status),
    ],
    contentKey: null,
    contentOffset: content.offset,
    contentSize: content.size,
    dueAt: isRejected ? null : (email.sendAt ?? now),
    outboxId: null,
    scheduledAt: email.sendAt,
    createdAt: now,
    rejectionReason: isRejected ? (topic === null ? ALL_SUPPRESSED : NOT_SUBSCRIBED) : null,
    retryOfId: null,
    content: content.inline,
    topic,
    requestId: ctx.requestId,
    ...(sender.members ? { isSandbox: true } : {}),
  };
}

function toEntry({ kind, email, key, name, unsubscribe }: Recipient, isSuppressed: boolean): RecipientEntry {
  return {
    kind,
    email,
    ...(name ? { name } : {}),
    ...storedKey(email, key),
    ...(unsubscribe ? { unsubscribe } : {}),
    state: isSuppressed ? "suppressed" : "queued",
  };
}
