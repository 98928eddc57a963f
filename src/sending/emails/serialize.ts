import { formatMailbox } from "../../lib/addresses.ts";
import { serialize } from "../../lib/serialize.ts";
import { iso } from "../../lib/time.ts";
import type { ContentDocument } from "./content/index.ts";
import { messageIdOf } from "./message-id.ts";
import type { DetailRow, RecordRow } from "./queries.ts";
import { type DetailOut, EmailOut, type EventOut } from "./schema.ts";
import { type EventEntry, type RecipientEntry, readEvents } from "./timeline/index.ts";

/** Serializes an email for lists. */
export function toRecord(row: RecordRow): EmailOut {
  const fromAddress = formatMailbox({ email: row.fromEmail, name: row.fromName });
  return serialize(EmailOut, { ...row, fromAddress, toAddresses: addressesOf(row, "to") });
}

/** Serializes an email with its content and events. `content` is null after retention, and for readers who may not read it. */
export function toDetail(row: DetailRow, content: ContentDocument | null): DetailOut {
  const cc = addressesOf(row, "cc");
  const bcc = addressesOf(row, "bcc");
  return {
    ...toRecord(row),
    cc_addresses: cc.length > 0 ? cc : null,
    bcc_addresses: bcc.length > 0 ? bcc : null,
    text_body: content?.text ?? null,
    html_body: content?.html ?? null,
    headers: Object.fromEntries(content?.headers ?? []),
    message_id: messageIdOf(row),
    events: toEvents(row),
  };
}

/** Serializes the events of an email, oldest first. */
export function toEvents(row: Pick<DetailRow, "id" | "createdAt" | "events" | "recipients">): EventOut[] {
  // The column has them in the order of writing, which differs from the order of time for opens and clicks.
  const sorted = readEvents(row.events, row).toSorted((a, b) => a.at - b.at);
  return sorted.map(toEvent);
}

/** Serializes an event of an email. */
export const toEvent = ({ id, type, at, metadata }: EventEntry): EventOut => ({
  id,
  event_type: type,
  metadata: metadata ?? null,
  created_at: iso(at),
});

/** Returns true when a recipient has marked an email as spam. */
export const hasComplaint = ({ recipients }: Pick<RecordRow, "recipients">): boolean =>
  recipients.some(({ state }) => state === "complained");

/** Returns the addresses of one kind of recipient. */
export function addressesOf({ recipients }: Pick<RecordRow, "recipients">, kind: RecipientEntry["kind"]): string[] {
  return recipients.filter((entry) => entry.kind === kind).map(({ email }) => email);
}
