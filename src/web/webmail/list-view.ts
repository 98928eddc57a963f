import type { ThreadList } from "../../mailboxes/inbox/index.ts";
import type { Label } from "../../mailboxes/mailbox-store/index.ts";

/** The messages that a list shows: those of a folder, those with a label, or those that a search found. */
export interface ListView {
  /** The folder whose menu entry is marked, and to which a search belongs. */
  folder: string;
  label: Label | null;
  /** The text of the search. Empty: none. */
  query: string;
  everywhere: boolean;
  /** The list of conversations of the folder that is shown. Absent: all. */
  list?: ThreadList | undefined;
}

/** Returns whether a list has a row for each conversation. A search and a label have one for each message. */
export const hasConversations = ({ folder, label, query }: ListView) =>
  label === null && query === "" && folder !== "Drafts";
