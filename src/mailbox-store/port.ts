import type { Ctx } from "../context.ts";
import { AppError } from "../errors.ts";
import type { RestoredMessage } from "./change.ts";
import type { FolderResult } from "./folders.ts";
import type { LabelChange, LabelResult } from "./labels.ts";
import type { Range } from "./read.ts";
import type {
  AddResult,
  FlagChanges,
  Folder,
  Label,
  MessageItem,
  MessagePage,
  MovedMessage,
  NewMessage,
  Person,
  Quota,
  StorageSection,
  StoredMessage,
} from "./types.ts";

/** Methods of the Durable Object of a mailbox. Each is one transaction. Null: there is no such folder or message. */
export interface MailboxStore {
  add(message: NewMessage, quotaBytes: number | null): Promise<AddResult>;
  /** Stores a draft in place of another one, which it deletes. Null: there is no such draft. */
  replaceDraft(uid: number, message: NewMessage, quotaBytes: number | null): Promise<AddResult | null>;
  listFolders(): Promise<Folder[]>;
  createFolder(name: string): Promise<FolderResult>;
  renameFolder(name: string, newName: string): Promise<FolderResult>;
  deleteFolder(name: string): Promise<FolderResult>;
  list(folder: string, range: Range): Promise<MessagePage | null>;
  search(text: string, folder: string, range: Pick<Range, "limit" | "offset">): Promise<MessagePage | null>;
  find(folder: string, uid: number): Promise<StoredMessage | null>;
  /** Returns the newest message with a Message-ID. */
  findByMessageId(messageId: string): Promise<StoredMessage | null>;
  /** Records a file that was uploaded for a message, to delete it a day later. */
  addUpload(object: string): Promise<void>;
  thread(threadId: string): Promise<MessageItem[]>;
  addresses(text: string): Promise<Person[]>;
  quota(): Promise<Quota>;
  sections(): Promise<StorageSection[]>;
  setFlags(folder: string, uids: readonly number[], flags: FlagChanges): Promise<number[] | null>;
  move(
    from: string,
    uids: readonly number[],
    to: string,
  ): Promise<{ moved: MovedMessage[] } | { unknown: "from" | "to" }>;
  restore(uids: readonly number[]): Promise<RestoredMessage[]>;
  /** Returns the UIDs that were deleted and the bytes that are left. */
  expunge(folder: string, uids: readonly number[]): Promise<{ uids: number[]; usedBytes: number } | null>;
  listLabels(): Promise<Label[]>;
  saveLabel(label: Label, isNew: boolean): Promise<LabelResult>;
  deleteLabel(id: string): Promise<boolean>;
  changeLabels(
    folder: string,
    uids: readonly number[],
    labelIds: readonly string[],
    change: LabelChange,
  ): Promise<{ uids: number[] } | { unknown: "folder" | "label" }>;
  listBlockedSenders(): Promise<string[]>;
  replaceBlockedSenders(emails: readonly string[]): Promise<void>;
  /** Deletes everything that the mailbox has. */
  destroy(): Promise<void>;
}

/** Returns the store of a mailbox. Each failure of a call, whatever its cause, becomes a 502 (decisions 9). */
export function mailboxStore(ctx: Ctx, mailboxId: string): MailboxStore {
  const stub: MailboxStore = ctx.env.MAILBOX.getByName(mailboxId);
  return new Proxy(stub, {
    get: (target, name: keyof MailboxStore) => {
      return async (...args: unknown[]) => {
        try {
          // Called on the stub in one expression: taken from it first, the method would be another remote property.
          return await (target as unknown as RemoteMethods)[name](...args);
        } catch (error) {
          ctx.log("mailbox.failed", { mailbox: mailboxId, method: name, error: String(error) });
          throw new AppError(502, "The mailbox cannot be reached; try again");
        }
      };
    },
  });
}

type RemoteMethods = Record<keyof MailboxStore, (...args: unknown[]) => Promise<unknown>>;
