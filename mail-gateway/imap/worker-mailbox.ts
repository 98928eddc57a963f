import { fromFlagBits } from "../../src/mail/imap/flags.ts";
import type { SearchKey } from "../../src/mail/imap/search-keys.ts";
import type { MessageStructure } from "../../src/mail/structures/types.ts";
import type { CallInput, CallName, CallResult } from "../../src/mailboxes/imap/call.ts";
import type {
  MessageState as StoredMessageState,
  FolderState as StoredState,
} from "../../src/mailboxes/mailbox-store/state-types.ts";
import type { MovedMessage } from "../../src/mailboxes/mailbox-store/types.ts";
import type { MailboxAccess } from "../open-accesses.ts";
import type {
  CopiedMessages,
  FlagChange,
  FolderChanges,
  FolderInfo,
  FolderState,
  MailboxListener,
  MessageRow,
  MessageState,
  NewMessage,
  WantedColumns,
} from "./mailbox.ts";
import type { ImapCalls } from "./worker-calls.ts";

/**
 * The mailbox of a client that has logged in. Every method is one call of the Worker. They throw CommandError for what the client is
 * told, such as a folder that does not exist.
 */
export class WorkerMailbox {
  readonly #calls: ImapCalls;
  readonly #access: MailboxAccess;
  /** Tells a listener of changes and of the end of the access until the returned function is called. */
  readonly listen: (listener: MailboxListener) => () => void;

  constructor(calls: ImapCalls, access: MailboxAccess, listen: (listener: MailboxListener) => () => void) {
    this.#calls = calls;
    this.#access = access;
    this.listen = listen;
  }

  async folders(): Promise<FolderInfo[]> {
    const { folders } = await this.#call("folders", {});
    return folders.map(({ modseq, ...folder }) => ({ ...folder, highestModseq: modseq }));
  }

  async quota() {
    const { used_bytes, quota_bytes } = await this.#call("quota", {});
    return { usedBytes: used_bytes, quotaBytes: quota_bytes };
  }

  async createFolder(folder: string): Promise<void> {
    await this.#call("create-folder", { folder });
  }

  async renameFolder(folder: string, newName: string): Promise<void> {
    await this.#call("rename-folder", { folder, new_name: newName });
  }

  async deleteFolder(folder: string): Promise<void> {
    await this.#call("delete-folder", { folder });
  }

  async subscribe(folder: string, isSubscribed: boolean): Promise<void> {
    await this.#call("subscribe", { folder, is_subscribed: isSubscribed });
  }

  async select(folder: string): Promise<FolderState> {
    const state = await this.#call("select", { folder });
    const { uidvalidity, uidnext, keywords } = state;
    return { uidvalidity, uidnext, highestModseq: state.modseq, keywords, messages: toStates(state) };
  }

  async changes(folder: string, since: number): Promise<FolderChanges> {
    const state = await this.#call("changes", { folder, since });
    const { uidvalidity, uidnext, keywords, expunged } = state;
    return { uidvalidity, uidnext, highestModseq: state.modseq, keywords, changed: toStates(state), expunged };
  }

  /** Returns the messages that exist, at most 200, in order of UID. */
  async fetch(folder: string, uids: readonly number[], { header, structure }: WantedColumns): Promise<MessageRow[]> {
    const { messages } = await this.#call("fetch", {
      folder,
      uids: [...uids],
      header: header && { ...header, fields: [...header.fields] },
      structure,
    });
    return messages.map(({ structure: json, ...row }) => ({
      ...row,
      ...(json === undefined ? {} : { structure: JSON.parse(json) as MessageStructure }),
    }));
  }

  /** Returns the states of the messages that exist, and the UIDs of those that changed meanwhile. */
  async store(folder: string, uids: readonly number[], { mode, flags, unchangedSince }: FlagChange) {
    const result = await this.#call("store", {
      folder,
      uids: [...uids],
      mode,
      flags,
      unchanged_since: unchangedSince,
    });
    return { stored: result.states.map(toState), modified: result.modified };
  }

  async copy(folder: string, uids: readonly number[], to: string): Promise<CopiedMessages> {
    return toCopied(await this.#call("copy", { folder, uids: [...uids], to }));
  }

  async move(folder: string, uids: readonly number[], to: string): Promise<CopiedMessages> {
    return toCopied(await this.#call("move", { folder, uids: [...uids], to }));
  }

  /** Expunges messages that are marked as deleted; `uids` restricts them. Returns their UIDs. */
  async expunge(folder: string, uids: readonly number[] | null): Promise<number[]> {
    const result = await this.#call("expunge", { folder, uids: uids && [...uids] });
    return result.uids;
  }

  /** Returns the UIDs of messages, in order. Keys of sequence numbers are not taken. */
  async search(folder: string, key: SearchKey): Promise<number[]> {
    const found: number[] = [];
    for (let after: number | null = 0; after !== null; ) {
      const page: CallResult<"search"> = await this.#call("search", { folder, key, after });
      found.push(...page.uids);
      after = page.next;
    }
    return found;
  }

  append({ folder, flags, date, size }: NewMessage, chunks: AsyncIterable<Uint8Array>) {
    return this.#calls.append(this.#access, { folder, flags, date, size }, chunks);
  }

  /** Returns bytes of a stored message. */
  read(object: string, from: number, length: number): Promise<AsyncIterable<Uint8Array>> {
    return this.#calls.read(this.#access, { object, from, length });
  }

  #call<Name extends CallName>(name: Name, input: CallInput<Name>): Promise<CallResult<Name>> {
    return this.#calls.call(this.#access, name, input);
  }
}

const toState = ({ flags, ...state }: StoredMessageState): MessageState => ({
  ...state,
  flags: fromFlagBits(flags),
});

/** Returns the states of messages, which the Worker writes as differences to the message before. */
function toStates({ uids, modseqs, flags, keywordsOf }: StoredState): MessageState[] {
  let [uid, modseq] = [0, 0];
  return uids.map((difference, index) => {
    uid += difference;
    modseq += modseqs[index] ?? 0;
    return toState({ uid, modseq, flags: flags[index] ?? 0, keywords: keywordsOf[index] ?? [] });
  });
}

const toCopied = ({ moved, uidvalidity }: { moved: MovedMessage[]; uidvalidity: number }): CopiedMessages => ({
  uidvalidity,
  from: moved.map(({ uid }) => uid),
  to: moved.map(({ newUid }) => newUid),
});
