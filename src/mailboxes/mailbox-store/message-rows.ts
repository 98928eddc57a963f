import { markBidiControls } from "../../lib/text-rules.ts";
import type { MessagePart } from "../../mail/messages/parts.ts";
import type { DraftClaim } from "./draft-claims.ts";
import type { MessageItem, Person, StoredMessage } from "./types.ts";

/** A row of a list. */
export interface ItemRow extends Pick<MessageItem, "uid" | "folder" | "subject" | "date" | "size" | "preview"> {
  message_id: string | null;
  thread: string;
  from_email: string | null;
  from_name: string | null;
  recipients: string;
  seen: number;
  flagged: number;
  answered: number;
  files: number;
  labels: string;
  claim: string | null;
}

/** Columns of a list, of the message `m` in the folder `f`. */
export const ITEM = `
  m.uid, f.name AS folder, m.message_id, m.thread, m.from_email, m.from_name, m.recipients, m.subject, m.date, m.size,
  m.seen, m.flagged, m.answered, m.files, m.preview, m.claim,
  (SELECT json_group_array(label) FROM message_labels WHERE message = m.id) AS labels`;

/** Columns of a whole message. */
export const STORED = `${ITEM}, m.object, m.in_reply_to, m.refs, m.header_size, m.parts, m.problem, m.authentication, m.delivered_to`;

/** A row of a whole message. */
export interface MessageRow extends ItemRow, Pick<StoredMessage, "object" | "problem" | "authentication"> {
  in_reply_to: string | null;
  refs: string;
  header_size: number;
  parts: string;
  delivered_to: string | null;
}

/** Returns a message with the places of its parts. */
export function toStored(row: MessageRow): StoredMessage {
  const { cc, bcc, replyTo } = readRecipients(row);
  return {
    ...toItem(row),
    object: row.object,
    cc,
    bcc,
    replyTo,
    inReplyTo: row.in_reply_to,
    references: JSON.parse(row.refs) as string[],
    headerSize: row.header_size,
    parts: (JSON.parse(row.parts) as MessagePart[]).map(markFilename),
    problem: row.problem,
    authentication: row.authentication,
    deliveredTo: row.delivered_to,
  };
}

/** Marks controls in a name, which messages of earlier versions have as they came. */
const markFilename = (part: MessagePart): MessagePart =>
  part.filename === null ? part : { ...part, filename: markBidiControls(part.filename) };

const readRecipients = (row: ItemRow) =>
  JSON.parse(row.recipients) as Record<"to" | "cc" | "bcc" | "replyTo", Person[]>;

/** Returns a message of a list. */
export function toItem(row: ItemRow): MessageItem {
  return {
    uid: row.uid,
    folder: row.folder,
    subject: row.subject,
    date: row.date,
    size: row.size,
    preview: row.preview,
    messageId: row.message_id,
    threadId: row.thread,
    from: row.from_email === null ? null : { email: row.from_email, name: row.from_name },
    to: readRecipients(row).to,
    seen: row.seen === 1,
    flagged: row.flagged === 1,
    answered: row.answered === 1,
    hasAttachments: row.files > 0,
    labels: JSON.parse(row.labels) as string[],
    claim: row.claim === null ? null : (JSON.parse(row.claim) as DraftClaim),
  };
}
