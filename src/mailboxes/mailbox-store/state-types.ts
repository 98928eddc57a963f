/** Flags of messages and states of folders, as they pass between the service and the object of a mailbox. */

/** Flags to set (true) or to clear (false). An absent flag stays as it is. */
export interface FlagChanges {
  seen?: boolean | undefined;
  flagged?: boolean | undefined;
  answered?: boolean | undefined;
  draft?: boolean | undefined;
  /** Marked to be expunged (RFC 3501 2.3.2). */
  deleted?: boolean | undefined;
  keywords?: KeywordChange | undefined;
}

/** Keywords that messages get or lose, or that they have alone afterwards. */
export interface KeywordChange {
  mode: "add" | "remove" | "replace";
  names: readonly string[];
}

/** The flags of a message and the modification sequence of its last change. `flags` has the bits of `flagBits`. */
export interface MessageState {
  uid: number;
  modseq: number;
  flags: number;
  keywords: string[];
}

/** A folder with the states of its messages in order of UID, each value as the difference to the one before (docs/contract/imap.md#messages-in-mail-programs). */
export interface FolderState {
  uidvalidity: number;
  uidnext: number;
  modseq: number;
  /** Keywords of the mailbox. */
  keywords: string[];
  uids: number[];
  modseqs: number[];
  flags: number[];
  /** By index of the message. */
  keywordsOf: Record<number, string[]>;
  /** UIDs that were expunged, when the state is that of changes. Null: they are not known, and all messages are here. */
  expunged: number[] | null;
}
