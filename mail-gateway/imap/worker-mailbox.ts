import type http from "node:http";
import { fromFlagBits } from "../../src/mail/imap/flags.ts";
import type { SearchKey } from "../../src/mail/imap/search-keys.ts";
import type { MessageStructure } from "../../src/mail/structures/types.ts";
import type { CallInput, CallName, CallResult } from "../../src/mailboxes/imap/call.ts";
import type {
  MessageState as StoredMessageState,
  FolderState as StoredState,
} from "../../src/mailboxes/mailbox-store/state-types.ts";
import type { MovedMessage } from "../../src/mailboxes/mailbox-store/types.ts";
import { isRefusedValue } from "../errors.ts";
import type { MailboxAccess } from "../open-accesses.ts";
import type { WorkerClient } from "../worker-client.ts";
import { CommandError } from "./command-error.ts";
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

/** Bytes of a response: a folder of 200,000 messages. */
const MAX_RESPONSE = 16 * 1024 * 1024;

/**
 * The mailbox of a client that has logged in. Every method is one call of the Worker. They throw CommandError for what the client is
 * told, such as a folder that does not exist.
 */
export class WorkerMailbox {
  readonly #worker: WorkerClient;
  readonly #access: MailboxAccess;
  /** Tells a listener of changes and of the end of the access until the returned function is called. */
  readonly listen: (listener: MailboxListener) => () => void;

  constructor(worker: WorkerClient, access: MailboxAccess, listen: (listener: MailboxListener) => () => void) {
    this.#worker = worker;
    this.#access = access;
    this.listen = listen;
  }

  /** Makes a call whose fields and result need no other form here. */
  call<Name extends CallName>(name: Name, input: CallInput<Name>): Promise<CallResult<Name>> {
    return callWorker(this.#worker, "calls", { access: this.#access, call: { name, ...input } });
  }

  /** Returns the folders, and the names of deleted folders that are still subscribed. */
  async folders(): Promise<{ folders: FolderInfo[]; deletedSubscriptions: string[] }> {
    // A Worker of an earlier version does not know them.
    const { folders, deletedSubscriptions = [] } = await this.call("folders", {});
    return {
      folders: folders.map(({ modseq, ...folder }) => ({ ...folder, highestModseq: modseq })),
      deletedSubscriptions,
    };
  }

  async select(folder: string): Promise<FolderState> {
    const state = await this.call("select", { folder });
    const { uidvalidity, uidnext, keywords } = state;
    return { uidvalidity, uidnext, highestModseq: state.modseq, keywords, messages: toStates(state) };
  }

  async changes(folder: string, since: number): Promise<FolderChanges> {
    const state = await this.call("changes", { folder, since });
    const { uidvalidity, uidnext, keywords, expunged } = state;
    return { uidvalidity, uidnext, highestModseq: state.modseq, keywords, changed: toStates(state), expunged };
  }

  /** Returns the messages that exist, at most 200, in order of UID. */
  async fetch(folder: string, uids: readonly number[], { header, structure }: WantedColumns): Promise<MessageRow[]> {
    const { messages } = await this.call("fetch", {
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
    const result = await this.call("store", {
      folder,
      uids: [...uids],
      mode,
      flags,
      unchanged_since: unchangedSince,
    });
    return { stored: result.states.map(toState), modified: result.modified };
  }

  /** Copies or moves messages, at most 5,000. `mustExist`: all or none of them. */
  async copy(
    name: "copy" | "move",
    { folder, uids, to, mustExist }: { folder: string; uids: readonly number[]; to: string; mustExist: boolean },
  ): Promise<CopiedMessages> {
    return toCopied(await this.call(name, { folder, uids: [...uids], to, must_exist: mustExist }));
  }

  /** Expunges messages that are marked as deleted; `uids` restricts them. Returns their UIDs. */
  async expunge(folder: string, uids: readonly number[] | null): Promise<number[]> {
    const result = await this.call("expunge", { folder, uids: uids && [...uids] });
    return result.uids;
  }

  /** Returns the UIDs of messages, in order. Keys of sequence numbers are not taken. */
  async search(folder: string, key: SearchKey): Promise<number[]> {
    const found: number[] = [];
    for (let after: number | null = 0; after !== null; ) {
      const page: CallResult<"search"> = await this.call("search", { folder, key, after });
      found.push(...page.uids);
      after = page.next;
    }
    return found;
  }

  async append({ folder, flags, date, size }: NewMessage, chunks: AsyncIterable<Uint8Array>) {
    const headers = {
      "X-Access": toHeader(this.#access),
      "X-Message": toHeader({ folder, flags, date, size }),
      "Content-Length": String(size),
    };
    const response = await refusing(this.#worker.send("imap/messages", headers, chunks));
    return unwrap<{ uid: number; uidvalidity: number }>(await readJson(response));
  }

  /** Returns bytes of a stored message. */
  async read(object: string, from: number, length: number): Promise<AsyncIterable<Uint8Array>> {
    const body = JSON.stringify({ access: this.#access, object, from, length });
    const response = await this.#worker.open("imap/contents", body, [200, 410]);
    if (response.statusCode === 410) unwrap(await readJson(response));
    return response;
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

/** Returns a value as a header carries it (src/http/gateway-headers.ts). */
export const toHeader = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64");

const noSuchValue = () => new CommandError("The command has a value that no mailbox takes", "CANNOT");

/**
 * Calls the Worker. Throws CommandError for what the client is told, `refusal` when the Worker refuses a value, and other errors when the
 * Worker fails.
 */
export async function callWorker<Result>(
  worker: WorkerClient,
  path: string,
  body: object,
  refusal = noSuchValue(),
): Promise<Result> {
  const response = await refusing(worker.open(`imap/${path}`, JSON.stringify(body)), refusal);
  return unwrap<Result>(await readJson(response));
}

/** Throws CommandError when the Worker refuses a value of the command, such as an empty folder name: it will refuse it again. */
async function refusing<Result>(response: Promise<Result>, refusal = noSuchValue()): Promise<Result> {
  try {
    return await response;
  } catch (error) {
    if (!isRefusedValue(error)) throw error;
    throw refusal;
  }
}

function unwrap<Result>(response: unknown): Result {
  const { error, ...result } = response as { error: { code: string; text: string } | null };
  if (error) throw new CommandError(error.text.replace(/[^\x20-\x7e]+/g, "?"), error.code);
  return result as Result;
}

async function readJson(response: http.IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_RESPONSE) throw new Error("the response of the Worker is too large");
    chunks.push(chunk);
  }
  return JSON.parse(Buffer.concat(chunks).toString("utf8"));
}
