import { AppError } from "../../lib/errors.ts";
import type { Ctx } from "../../platform/context.ts";
import type { RestoredMessage } from "./change.ts";
import type { FolderResult } from "./folders.ts";
import type { LabelChange, LabelResult } from "./labels.ts";
import type { Range } from "./read.ts";
import type {
  AddResult,
  ArchiveContents,
  ExportedMessage,
  FlagChanges,
  Folder,
  ImportedMessage,
  ImportProgress,
  ImportResult,
  Label,
  MessageItem,
  MessagePage,
  MovedMessage,
  NewImport,
  NewMessage,
  Person,
  Quota,
  StorageSection,
  StoredImport,
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
  /** Returns the messages with a label in all folders, newest first. */
  listLabelled(labelId: string, range: Pick<Range, "limit" | "offset">): Promise<MessagePage>;
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
  /** Returns messages to export after a cursor, 0 at first. */
  exportMessages(range: { after: number; limit: number; folderName: string | null }): Promise<ExportedMessage[] | null>;
  describeContents(): Promise<ArchiveContents>;
  createContents(contents: ArchiveContents): Promise<void>;
  /** Returns those of these delivery keys whose message is in the mailbox. */
  findImported(keys: readonly string[]): Promise<string[]>;
  /** Stores messages of an archive. Null: another run has moved the import. */
  importMessages(
    messages: readonly ImportedMessage[],
    quotaBytes: number | null,
    progress: ImportProgress | null,
  ): Promise<ImportResult[] | null>;
  /** Starts an import in the background. Returns false when too many run. */
  startImport(added: NewImport): Promise<boolean>;
  findImport(id: string): Promise<StoredImport | null>;
  listImports(): Promise<StoredImport[]>;
  endImport(id: string, status: "done" | "failed", error: string | null): Promise<void>;
  /**
   * Returns whether a sender gets an automatic reply: none in the last day, except this same one. `reply` identifies it, `at` is
   * in ms since 1970.
   */
  takeReplyTurn(sender: string, reply: string, at: number): Promise<boolean>;
  listBlockedSenders(): Promise<string[]>;
  replaceBlockedSenders(emails: readonly string[]): Promise<void>;
  /** Deletes those of these objects that the mailbox does not know, and returns their number. */
  removeUnknownObjects(objects: readonly string[]): Promise<number>;
  /** Closes the sockets of clients whose access has ended. */
  checkAccess(): Promise<void>;
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
          throw unreachable();
        }
      };
    },
  });
}

/** Opens a socket of changes in the object of a mailbox; `headers` say who opens it. Throws 502 when the object fails. */
export async function openEventSocket(ctx: Ctx, mailboxId: string, headers: Record<string, string>): Promise<Response> {
  try {
    return await ctx.env.MAILBOX.getByName(mailboxId).fetch("https://mailbox/events", { headers });
  } catch (error) {
    ctx.log("mailbox.failed", { mailbox: mailboxId, method: "events", error: String(error) });
    throw unreachable();
  }
}

/**
 * Has the object of a mailbox close the sockets of clients whose access has just ended. It would do so within half a minute
 * by itself, so a failure is only logged.
 */
export async function checkAccess(ctx: Ctx, mailboxId: string): Promise<void> {
  await mailboxStore(ctx, mailboxId)
    .checkAccess()
    .catch(() => {});
}

const unreachable = () => new AppError(502, "The mailbox cannot be reached; try again");

type RemoteMethods = Record<keyof MailboxStore, (...args: unknown[]) => Promise<unknown>>;
