import { formatMailbox } from "../lib/addresses.ts";
import { iso, isoOrNull } from "../lib/time.ts";
import type { ContentDocument } from "./content/index.ts";
import type { DetailRow, RecordRow } from "./queries.ts";
import type { DetailOut, EmailOut, EventOut } from "./schema.ts";
import type { EventEntry, RecipientEntry } from "./timeline/index.ts";

/** An email as lists show it (specification: Email record). */
export function toRecord(row: RecordRow): EmailOut {
  return {
    id: row.id,
    from_address: formatMailbox({ email: row.fromEmail, name: row.fromName }),
    to_addresses: addresses(row.recipients, "to"),
    subject: row.subject,
    status: row.status,
    source: row.source,
    opened_count: row.openedCount,
    clicked_count: row.clickedCount,
    tags: row.tags === null ? null : (JSON.parse(row.tags) as string[]),
    scheduled_at: isoOrNull(row.scheduledAt),
    created_at: iso(row.createdAt),
    sent_at: isoOrNull(row.sentAt),
    delivered_at: isoOrNull(row.deliveredAt),
    retry_of_id: row.retryOfId,
  };
}

/** An email with its content and events (specification: Email detail). Content is null once retention took it. */
export function toDetail(row: DetailRow, content: ContentDocument | null): DetailOut {
  const cc = addresses(row.recipients, "cc");
  const bcc = addresses(row.recipients, "bcc");
  return {
    ...toRecord(row),
    cc_addresses: cc.length > 0 ? cc : null,
    bcc_addresses: bcc.length > 0 ? bcc : null,
    text_body: content?.text ?? null,
    html_body: content?.html ?? null,
    headers: Object.fromEntries(content?.headers ?? []),
    message_id: row.messageId,
    events: toEvents(row),
  };
}

/** The timeline of an email, oldest first (specification: Email event). */
export function toEvents(row: Pick<DetailRow, "events">): EventOut[] {
  // They stand in the order they became known, which for opens and clicks may be another.
  const inTime = (JSON.parse(row.events) as EventEntry[]).toSorted((a, b) => a.at - b.at);
  return inTime.map(({ id, type, at, metadata }) => ({
    id,
    event_type: type,
    metadata: metadata ?? null,
    created_at: iso(at),
  }));
}

function addresses(recipients: string, kind: RecipientEntry["kind"]): string[] {
  return (JSON.parse(recipients) as RecipientEntry[]).filter((entry) => entry.kind === kind).map(({ email }) => email);
}
