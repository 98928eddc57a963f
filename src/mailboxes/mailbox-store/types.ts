import type { MailAddress, ParsedMessage } from "../../mail/messages/parse.ts";
import type { MessageStructure } from "../../mail/structures/types.ts";
import type { DraftClaim } from "./draft-claims.ts";
import type { FilterOutcome } from "./filter-rules.ts";

/** Values that pass between the service and the Durable Object of a mailbox. All are plain data. */

export type Person = MailAddress;

/** The record of a message in a mailbox. The message itself is an object in R2. */
export interface NewMessage extends Omit<ParsedMessage, "header" | "structure" | "fields" | "text"> {
  /** Key of its R2 object. */
  object: string;
  /** Name of the folder. */
  folder: string;
  /** When the mailbox got it, in ms since 1970. Lists are in this order. */
  receivedAt: number;
  preview: string;
  /** The text that search covers. */
  searchText: string;
  /** Bytes of the message. */
  size: number;
  /** The header, one character for each byte. Null or absent: it must be read from the object. */
  header?: string | null;
  /** Absent: it is found out later. */
  structure?: MessageStructure;
  /** Results of SPF, DKIM and DMARC, as JSON. */
  authentication: string | null;
  /** The recipient of the envelope, a canonical address. Null or absent: the message did not arrive by SMTP. */
  deliveredTo?: string | null;
  /** Its List-Id field (RFC 2919). */
  listId?: string | null;
  /** True for a message that arrives: the filters of the mailbox decide about it, unless it is spam. */
  isFiltered?: boolean;
  seen: boolean;
  draft: boolean;
  /** Equal for repeated deliveries of one message. Null: the message is stored whatever was stored before. */
  deliveryKey: string | null;
  /** How long an equal key means a repeat, in ms, while the mailbox has the first message. Absent: as long as the key is known. */
  repeatedMs?: number;
  /** A copy for Sent of a message that a mail program submitted. It is not stored when the program has put one there itself. */
  isSubmitted?: boolean;
}

export interface Folder {
  name: string;
  role: string | null;
  unseen: number;
  total: number;
  uidvalidity: number;
  uidnext: number;
}

/** A folder with what mail programs ask of it. */
export interface FolderSummary extends Folder {
  bytes: number;
  /** The modification sequence of its last change. */
  modseq: number;
  isSubscribed: boolean;
}

/** A message in a list. */
export interface MessageItem {
  uid: number;
  folder: string;
  messageId: string | null;
  threadId: string;
  from: Person | null;
  to: Person[];
  subject: string;
  date: number;
  size: number;
  seen: boolean;
  flagged: boolean;
  answered: boolean;
  hasAttachments: boolean;
  labels: string[];
  preview: string;
  /** The email that sends this draft. */
  claim: DraftClaim | null;
}

/** A message with the places of its parts. */
export interface StoredMessage
  extends MessageItem,
    Pick<NewMessage, "object" | "cc" | "bcc" | "replyTo" | "inReplyTo" | "references">,
    Pick<NewMessage, "headerSize" | "parts" | "problem" | "authentication"> {
  deliveredTo: string | null;
}

export interface MessagePage {
  items: MessageItem[];
  total: number;
}

export interface Label {
  id: string;
  name: string;
  color: string;
}

export interface MovedMessage {
  uid: number;
  newUid: number;
}

/** A message that the mailbox has. `threadId` is null when it was deleted since; `forwards` are those of the filters. */
interface Stored {
  folder: string;
  threadId: string | null;
  usedBytes: number;
  forwards: FilterOutcome["forwards"];
}

/** The result of storing a message. `usedBytes` are those of the mailbox afterwards. */
export type AddResult =
  | (Stored & { result: "added"; uid: number; threadId: string })
  /** The delivery was stored before, in this folder; `object` is the key of its R2 object. */
  | (Stored & { result: "duplicate"; object: string })
  | { result: "over-quota"; usedBytes: number }
  | { result: "no-folder"; usedBytes: number };

export interface Quota {
  usedBytes: number;
  messageCount: number;
}

export interface StorageSection {
  section: string;
  bytes: number;
  count: number;
}

/** A change that clients of the mailbox are told about. */
export interface MailboxChange {
  type: "message" | "flags" | "move" | "expunge" | "folder";
  folder: string;
  uid: number | null;
}

/** A message for an export. */
export interface ExportedMessage extends Pick<MessageItem, "folder" | "size" | "seen" | "flagged" | "answered"> {
  /** Its id in the database of the mailbox, which stays when it moves. */
  id: number;
  /** Where the next page begins. */
  cursor: number;
  object: string;
  receivedAt: number;
  from: string | null;
  /** Names of its labels. */
  labels: string[];
}

/** The content of an archive beside its messages. */
export interface ArchiveContents {
  folders: string[];
  labels: { name: string; color: string }[];
}

/** A message of an archive. Its delivery key is equal for equal messages at equal places of an archive. */
export interface ImportedMessage {
  message: NewMessage;
  flagged: boolean;
  answered: boolean;
  /** Names of its labels. */
  labels: string[];
}

export type ImportResult =
  | { result: "added"; folder: string; uid: number }
  | { result: "duplicate" | "over-quota" | "no-folder" };

/** The place up to which an archive was imported. All are 0 at its beginning. */
export interface ArchiveCursor {
  /** Bytes of the archive that were read. */
  read: number;
  /** Files of a ZIP archive that were read, and the offset of the directory's record of the next one. */
  files: number;
  record: number;
  /** Bytes and messages that were read of an mbox file, which is the archive or the next file of it. */
  offset: number;
  messages: number;
  /** Messages and issues of the whole archive, and the bytes to which its files were decompressed. */
  entries: number;
  decompressed: number;
}

export interface ImportCounts {
  imported: number;
  duplicates: number;
  skipped: number;
  /** Why messages were skipped; at most 100. */
  errors: string[];
}

/** An import that continues in the background: an archive in R2, and how far it was imported. */
export interface NewImport {
  id: string;
  /** Key of the archive in R2, and its bytes. */
  object: string;
  size: number;
  format: "zip" | "mbox";
  folder: string;
  cursor: ArchiveCursor;
  counts: ImportCounts;
}

export interface StoredImport extends NewImport {
  status: "running" | "done" | "failed";
  /** Grows with each change of the cursor, so that of two runs only one goes on. */
  step: number;
  /** In ms since 1970. */
  createdAt: number;
  updatedAt: number;
}

/** The counts and the place that a batch of messages adds to an import, beside the results of the batch itself. */
export interface ImportProgress {
  id: string;
  /** The step that the import must have. */
  step: number;
  cursor: ArchiveCursor;
  /** Counts to add. */
  added: ImportCounts;
}

/** The text below the messages that a person writes. */
export interface Signature {
  text: string;
  /** With its formatting; null: it has none. */
  html: string | null;
}
