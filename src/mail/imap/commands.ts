import type { FetchItem } from "./fetch-items.ts";
import type { FlagList } from "./flags.ts";
import type { SearchKey } from "./search-keys.ts";
import type { SequenceSet } from "./sequence-sets.ts";

/** Messages of a COPY, which is all or nothing (RFC 3501 6.4.7): about a second of CPU. */
export const MAX_COPIED = 5_000;

/** Items that STATUS tells of a folder (RFC 3501 6.3.10, RFC 7162 3.1.6, RFC 8438). */
export const statusItems = [
  "MESSAGES",
  "RECENT",
  "UIDNEXT",
  "UIDVALIDITY",
  "UNSEEN",
  "HIGHESTMODSEQ",
  "SIZE",
  "APPENDLIMIT",
] as const;
export type StatusItem = (typeof statusItems)[number];

/** Results that ESEARCH returns (RFC 4731 3.1). */
export const searchResults = ["MIN", "MAX", "ALL", "COUNT"] as const;
export type SearchResult = (typeof searchResults)[number];

/** LIST with what it selects and returns (RFC 5258, RFC 5819, RFC 6154). */
export interface ListCommand {
  name: "LIST";
  reference: string;
  patterns: readonly string[];
  onlySubscribed: boolean;
  onlySpecialUse: boolean;
  /** Also folders that match because of a folder below them. */
  recursiveMatch: boolean;
  /** Return options. */
  children: boolean;
  subscribed: boolean;
  status: readonly StatusItem[];
}

/** APPEND as far as it precedes the message, which is its last literal. */
export interface AppendCommand {
  name: "APPEND";
  folder: string;
  flags: FlagList;
  /** In ms since 1970. Null: the time of the command. */
  date: number | null;
}

export type SearchCommand = {
  name: "SEARCH";
  byUid: boolean;
  /** Null: the plain response of RFC 3501. */
  results: readonly SearchResult[] | null;
  key: SearchKey;
  wantsModificationSequence: boolean;
};
export type FetchCommand = {
  name: "FETCH";
  byUid: boolean;
  set: SequenceSet;
  items: readonly FetchItem[];
  /** Only messages that changed after this modification sequence. */
  changedSince: number | null;
};
export type StoreCommand = {
  name: "STORE";
  byUid: boolean;
  set: SequenceSet;
  mode: "replace" | "add" | "remove";
  silent: boolean;
  flags: FlagList;
  /** Only messages that did not change after this modification sequence. */
  unchangedSince: number | null;
};

/** Commands without an argument. */
export const plainNames = [
  "CAPABILITY",
  "NOOP",
  "LOGOUT",
  "STARTTLS",
  "CHECK",
  "CLOSE",
  "UNSELECT",
  "IDLE",
  "NAMESPACE",
] as const;

/** Commands whose only argument is a folder. */
export const folderNames = ["CREATE", "DELETE", "SUBSCRIBE", "UNSUBSCRIBE", "GETQUOTAROOT"] as const;

/** A command without its tag. Folder names are decoded. */
export type Command =
  | { name: (typeof plainNames)[number] | "ID" }
  | { name: "LOGIN"; username: string; password: string }
  | { name: "AUTHENTICATE"; mechanism: string; initial: string | null }
  | { name: "ENABLE"; capabilities: readonly string[] }
  | { name: "SELECT" | "EXAMINE"; folder: string; condstore: boolean }
  | { name: (typeof folderNames)[number]; folder: string }
  | { name: "RENAME"; folder: string; newName: string }
  | { name: "LSUB"; reference: string; patterns: readonly string[] }
  | ListCommand
  | { name: "STATUS"; folder: string; items: readonly StatusItem[] }
  | { name: "GETQUOTA"; root: string }
  | AppendCommand
  | { name: "EXPUNGE"; set: SequenceSet | null }
  | { name: "COPY" | "MOVE"; byUid: boolean; set: SequenceSet; folder: string }
  | SearchCommand
  | FetchCommand
  | StoreCommand;
