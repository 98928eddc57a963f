import type { EventType, RecipientState, StoredStatus } from "../rules.ts";

/** One recipient as the row keeps it. `key` is there when the canonical form is not the lower-cased address. */
export interface RecipientEntry {
  kind: "to" | "cc" | "bcc";
  email: string;
  name?: string;
  key?: string;
  state: RecipientState;
}

/** One event as the row keeps it; `at` in milliseconds since 1970. */
export interface EventEntry {
  id: string;
  type: EventType;
  at: number;
  metadata?: Record<string, unknown>;
}

/** The part of an email that facts change. */
export interface EmailState {
  n: number;
  workspace: number;
  id: string;
  status: StoredStatus;
  recipients: RecipientEntry[];
  events: EventEntry[];
  attempts: number;
  version: number;
  dueAt: number | null;
  outboxId: string | null;
  sentAt: number | null;
  deliveredAt: number | null;
  /** Opens and clicks by people. */
  openedCount: number;
  clickedCount: number;
  /** Short ids of the hits merged last that are not in `events`, oldest first. */
  hits: string[];
}

/** A row of EMAIL_STATE_COLUMNS, as D1 gives it. */
export interface EmailStateRow {
  n: number;
  workspace: number;
  id: string;
  status: StoredStatus;
  recipients: string;
  events: string;
  attempts: number;
  version: number;
  due_at: number | null;
  outbox_id: string | null;
  sent_at: number | null;
  delivered_at: number | null;
  opened_count: number;
  clicked_count: number;
  hits: string | null;
}

/** For a SELECT on `emails e`. */
export const EMAIL_STATE_COLUMNS =
  "e.n, e.workspace, e.id, e.status, e.recipients, e.events, e.attempts, e.version, e.due_at, e.outbox_id, e.sent_at, e.delivered_at, e.opened_count, e.clicked_count, e.hits";

/** The state of an email from its row. */
export function toState(row: EmailStateRow): EmailState {
  return {
    n: row.n,
    workspace: row.workspace,
    id: row.id,
    status: row.status,
    recipients: JSON.parse(row.recipients) as RecipientEntry[],
    events: JSON.parse(row.events) as EventEntry[],
    attempts: row.attempts,
    version: row.version,
    dueAt: row.due_at,
    outboxId: row.outbox_id,
    sentAt: row.sent_at,
    deliveredAt: row.delivered_at,
    openedCount: row.opened_count,
    clickedCount: row.clicked_count,
    hits: row.hits === null ? [] : (JSON.parse(row.hits) as string[]),
  };
}

/** The canonical form of a recipient's address. */
export function recipientKey(recipient: Pick<RecipientEntry, "email" | "key">): string {
  return recipient.key ?? recipient.email.toLowerCase();
}
