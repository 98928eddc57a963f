import type { FlagList, SystemFlag } from "../../src/mail/imap/flags.ts";
import type { HeaderFields } from "../../src/mail/imap/header-fields.ts";
import type { MessageStructure } from "../../src/mail/structures/types.ts";

/** The flags of a message, and the modification sequence of its last change. */
export interface MessageState {
  uid: number;
  modseq: number;
  flags: readonly SystemFlag[];
  keywords: readonly string[];
}

/** A folder when it is selected: its messages in order of UID. */
export interface FolderState {
  uidvalidity: number;
  uidnext: number;
  highestModseq: number;
  /** Keywords that the mailbox has. */
  keywords: readonly string[];
  messages: readonly MessageState[];
}

/** Changes of a folder after a modification sequence. */
export interface FolderChanges {
  uidvalidity: number;
  uidnext: number;
  highestModseq: number;
  keywords: readonly string[];
  /** New messages and those with other flags, in order of UID. */
  changed: readonly MessageState[];
  /** UIDs of expunged messages. Null: that is no longer known, and `changed` has all messages. */
  expunged: readonly number[] | null;
}

/** A folder in a list. */
export interface FolderInfo {
  name: string;
  /** `inbox`, `sent`, `drafts`, `spam`, `trash` or `archive`; null: a folder of the user. */
  role: string | null;
  isSubscribed: boolean;
  uidvalidity: number;
  uidnext: number;
  total: number;
  unseen: number;
  bytes: number;
  highestModseq: number;
}

/** Columns that FETCH needs of messages beside their states. */
export interface WantedColumns {
  /** Null: nothing of the header. */
  header: HeaderFields | null;
  /** The structure, and with it the envelope and the places of the parts. */
  structure: boolean;
}

/** A message of FETCH. */
export interface MessageRow {
  uid: number;
  /** When the mailbox got it, in ms since 1970. */
  receivedAt: number;
  size: number;
  headerSize: number;
  /** Names the stored message in a call for its bytes. */
  object: string;
  /** The wanted fields of the header, one character for each byte. Absent: they must be read from the stored message. */
  header?: string;
  /** Absent: it was not asked for. */
  structure?: MessageStructure;
}

/** The UIDs of copied or moved messages, before and after. */
export interface CopiedMessages {
  uidvalidity: number;
  from: readonly number[];
  to: readonly number[];
}

/** How flags change. `unchangedSince`: only messages that did not change after it. */
export interface FlagChange {
  mode: "replace" | "add" | "remove";
  flags: FlagList;
  unchangedSince: number | null;
}

/** A message to append. */
export interface NewMessage {
  folder: string;
  flags: FlagList;
  /** In ms since 1970; null: now. */
  date: number | null;
  size: number;
}

/** Takes which folders changed. Null: any of them may have, because changes were not told meanwhile. */
export type ChangeListener = (folders: readonly string[] | null) => void;

/** Tells a client things beside the responses to its commands. */
export interface MailboxListener {
  onChange: ChangeListener;
  /** The access has ended. */
  onEnd(): void;
}
