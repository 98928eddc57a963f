import { lowerCase, lowerCaseAscii } from "../../../lib/addresses.ts";
import type { EventEntry, RecipientEntry, StoredEvent } from "../../../platform/db/email-json.ts";
import type { emails } from "../../../platform/db/schema/mail/index.ts";
import type { StoredColumns } from "../../../platform/db/stored-row.ts";
import type { StoredStatus } from "../rules.ts";
import { readEvents } from "./stored-events.ts";

/** The part of an email that facts change. Times in milliseconds since 1970. */
export interface EmailState {
  n: number;
  workspace: number;
  id: string;
  status: StoredStatus;
  recipients: RecipientEntry[];
  events: EventEntry[];
  /** Number of the last hand-over to an egress with an outcome or an event. `countAttempts` counts those that reached a receiver. */
  attempts: number;
  version: number;
  /** When its next attempt is due, while that is about to be written: the outbox tells it. Null otherwise. */
  dueAt: number | null;
  outboxId: string | null;
  sentAt: number | null;
  deliveredAt: number | null;
  createdAt: number;
  /** When the email was created, if it is a retry; null otherwise. Milliseconds since 1970. */
  retriedAt: number | null;
  /** Opens and clicks by people, not by scanners. */
  openedCount: number;
  clickedCount: number;
  /** Shortened ids of the last hits that have no event, oldest first. */
  hits: string[];
  /** Numbers of the broadcast and of its variant; null or absent for other emails. */
  broadcast?: number | null;
  variant?: number | null;
  /** Number of its topic; null or absent: none. */
  topic?: number | null;
}

/** A row of EMAIL_STATE_COLUMNS as D1 returns it; the JSON columns are text. */
export interface EmailStateRow
  extends StoredColumns<typeof emails, "n" | "workspace" | "id" | "status" | "attempts" | "version" | "outbox_id">,
    StoredColumns<typeof emails, "recipients" | "events" | "hits" | "opened_count" | "clicked_count">,
    StoredColumns<typeof emails, "created_at" | "sent_at" | "delivered_at" | "broadcast" | "variant" | "topic"> {
  retried_at: number | null;
}

/** Columns of an EmailStateRow, for a SELECT on `emails e`. */
export const EMAIL_STATE_COLUMNS =
  "e.n, e.workspace, e.id, e.status, e.recipients, e.events, e.attempts, e.version, e.outbox_id, e.sent_at, e.delivered_at, e.created_at, e.opened_count, e.clicked_count, e.hits, e.broadcast, e.variant, e.topic, CASE WHEN e.retry_of_id IS NOT NULL THEN e.created_at END AS retried_at";

/** Returns the state of an email from a raw D1 row. Drizzle parses JSON columns itself; this is the only other parser. */
export function toState(row: EmailStateRow): EmailState {
  const recipients = JSON.parse(row.recipients) as RecipientEntry[];
  const email = { id: row.id, createdAt: row.created_at, recipients };
  return {
    n: row.n,
    workspace: row.workspace,
    id: row.id,
    status: row.status,
    recipients,
    events: readEvents(JSON.parse(row.events) as StoredEvent[], email),
    attempts: row.attempts,
    version: row.version,
    dueAt: null,
    outboxId: row.outbox_id,
    sentAt: row.sent_at,
    deliveredAt: row.delivered_at,
    createdAt: row.created_at,
    retriedAt: row.retried_at,
    openedCount: row.opened_count,
    clickedCount: row.clicked_count,
    hits: row.hits === null ? [] : (JSON.parse(row.hits) as string[]),
    broadcast: row.broadcast,
    variant: row.variant,
    topic: row.topic,
  };
}

/** Takes the place of the address of a recipient who was erased. It is no address. */
export const ERASED = "erased";

/** Returns the canonical form of a recipient's address, by which addresses are compared. */
export function recipientKey(recipient: Pick<RecipientEntry, "email" | "key">): string {
  return recipient.key ?? lowerCase(recipient.email);
}

/** The same in SQL, for an element `p` of json_each(e.recipients) that has the field of `storedKey` where it needs it. */
export const RECIPIENT_KEY_SQL = "coalesce(p.value->>'key', lower(p.value->>'email'))";

/** SQL: an egress holds the email for a recipient, by its column `recipients`. JSON escapes quotes, so no address or name contains it. */
export const isHeldSql = (recipients: string) => `instr(${recipients}, '"state":"held"') > 0`;

/** Returns the field `key` of an entry: present only when lower() of SQLite does not return it. */
export function storedKey(email: string, key: string): Pick<RecipientEntry, "key"> {
  return key === lowerCaseAscii(email) ? {} : { key };
}
