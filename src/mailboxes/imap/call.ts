import { AppError } from "../../lib/errors.ts";
import type { FlagList } from "../../mail/imap/flags.ts";
import type { Ctx } from "../../platform/context.ts";
import { stopSending } from "../inbox/sending/index.ts";
import {
  type FlagChanges,
  type FolderResult,
  folderName,
  type MailboxStore,
  mailboxStore,
  nameIssue,
  saveUsedBytes,
} from "../mailbox-store/index.ts";
import type { ImapMailbox } from "./access.ts";
import { ImapError, noSuchFolder, overQuota } from "./errors.ts";
import type { Call } from "./schema.ts";

type CallOf<Name extends Call["name"]> = Extract<Call, { name: Name }>;
type Calls = { [Name in Call["name"]]: (store: MailboxStore, call: CallOf<Name>, of: CallContext) => Promise<object> };

interface CallContext extends ImapMailbox {
  ctx: Ctx;
}

/** Runs a call of a mail program. Throws ImapError for what its client is told. */
export async function runCall(ctx: Ctx, mailbox: ImapMailbox, call: Call): Promise<object> {
  const run = calls[call.name] as (store: MailboxStore, call: Call, of: CallContext) => Promise<object>;
  return run(mailboxStore(ctx, mailbox.mailboxId), call, { ctx, ...mailbox });
}

const calls: Calls = {
  folders: async (store) => ({ folders: await store.listFolderStates() }),
  quota: async (store, _, { quotaBytes }) => ({
    used_bytes: (await store.quota()).usedBytes,
    quota_bytes: quotaBytes,
  }),
  "create-folder": async (store, { folder }) => {
    const issue = nameIssue(folder);
    if (issue !== null) throw new ImapError(issue, "CANNOT");
    return changed(await store.createFolder(folder));
  },
  "rename-folder": async (store, { folder, new_name: newName }) => {
    const issue = nameIssue(newName);
    if (issue !== null) throw new ImapError(issue, "CANNOT");
    return changed(await store.renameFolder(folder, newName));
  },
  "delete-folder": async (store, { folder }, of) => {
    let result = await store.deleteFolder(folder);
    // Its messages are deleted too (RFC 9051 6.3.5), at most 5,000 a time. Thunderbird deletes folders below Trash in this way.
    while ("refused" in result && result.refused === "not-empty") {
      await saveExpunged(of, await store.expungeOldest(folder));
      result = await store.deleteFolder(folder);
    }
    return changed(result);
  },
  subscribe: async (store, { folder, is_subscribed: isSubscribed }) => {
    const subscribed = await store.subscribe(folder, isSubscribed);
    // A subscription that is gone with the folder, as after RENAME, is ended already.
    return isSubscribed ? found(subscribed) : {};
  },
  select: async (store, { folder }) => found(await store.readFolder(folder)),
  changes: async (store, { folder, since }) => found(await store.readChanges(folder, since)),
  fetch: async (store, { folder, uids, header, structure }) => {
    const messages = found(await store.fetchMessages(folder, uids, { header, structure }));
    // The alarm of the mailbox finds them out, some seconds after the first start of a version that has them.
    if (structure && messages.some((message) => !message.structure))
      throw new ImapError("Older messages are being prepared for mail programs; try again in a minute", "INUSE");
    return { messages };
  },
  search: async (store, { folder, key, after }) => found(await store.searchByKey(folder, key, after)),
  store: async (store, { folder, uids, mode, flags, unchanged_since: unchangedSince }, of) => {
    const changes = toChanges(mode, flags);
    if (changes.deleted) await stopDrafts(store, folder, uids, of);
    const result = await store.changeFlags(folder, uids, changes, unchangedSince);
    if ("refused" in result && result.refused === "no-folder") throw noSuchFolder();
    if (!("states" in result)) throw new ImapError("The mailbox has too many keywords", "LIMIT");
    const { states, modified } = result;
    // Thunderbird marks each draft that it saves again or sends, and never expunges it: webmail would show them all.
    if (changes.deleted && folderName(folder) === "Drafts") {
      const marked = states.map(({ uid }) => uid);
      await saveExpunged(of, await store.expungeMarked(folder, marked));
    }
    return { states, modified };
  },
  copy: async (store, { folder, uids, to }, { ctx, mailboxId, quotaBytes }) => {
    const result = await store.copy(folder, uids, to, quotaBytes);
    if (!("copied" in result)) {
      if (result.refused === "over-quota") throw overQuota();
      throw noSuchFolder(result.refused === "unknown-to" ? "TRYCREATE" : "NONEXISTENT");
    }
    await saveUsedBytes(ctx, { id: mailboxId }, result.usedBytes);
    return { moved: result.copied, uidvalidity: result.uidvalidity };
  },
  move: async (store, { folder, uids, to }, of) => {
    await stopDrafts(store, folder, uids, of);
    const result = await store.move(folder, uids, to);
    if ("unknown" in result) throw noSuchFolder(result.unknown === "to" ? "TRYCREATE" : "NONEXISTENT");
    return { moved: result.moved, uidvalidity: result.uidvalidity };
  },
  expunge: async (store, { folder, uids }, of) => {
    const expunged = found(await store.expungeMarked(folder, uids));
    await saveExpunged(of, expunged);
    return { uids: expunged.uids };
  },
};

/** Stops the emails that wait to be sent from drafts which a mail program deletes: it has stored, or sends, another version. */
async function stopDrafts(store: MailboxStore, folder: string, uids: readonly number[], { ctx }: CallContext) {
  if (folderName(folder) !== "Drafts") return;
  await stopSending(ctx, await store.findClaims(uids)).catch((error: unknown) => {
    throw error instanceof AppError ? new ImapError(String(error.detail), "INUSE") : error;
  });
}

/** Saves the size of a mailbox after messages of it were expunged. Null: there was no such folder. */
async function saveExpunged(
  { ctx, mailboxId }: CallContext,
  expunged: { uids: number[]; usedBytes: number } | null,
): Promise<void> {
  if (expunged && expunged.uids.length > 0) await saveUsedBytes(ctx, { id: mailboxId }, expunged.usedBytes);
}

function found<Value extends object>(value: Value | null): Value {
  if (value === null) throw noSuchFolder();
  return value;
}

const REFUSALS = {
  taken: ["A folder with this name exists", "ALREADYEXISTS"],
  "too-many": ["The mailbox has too many folders", "LIMIT"],
  system: ["This folder belongs to the mailbox", "CANNOT"],
  "not-empty": ["The folder has messages", "CANNOT"],
  unknown: ["This folder does not exist", "NONEXISTENT"],
} as const;

function changed(result: FolderResult): object {
  if ("folder" in result) return {};
  const [text, code] = REFUSALS[result.refused];
  throw new ImapError(text, code);
}

/** Returns the flags of a command as the mailbox changes them. */
export function toChanges(mode: "replace" | "add" | "remove", { flags, keywords }: FlagList): FlagChanges {
  const named = (name: string) => flags.some((flag) => flag.toLowerCase() === `\\${name}`);
  const isAfter = (name: string) => {
    if (mode === "replace") return named(name);
    return named(name) ? mode === "add" : undefined;
  };
  return {
    seen: isAfter("seen"),
    flagged: isAfter("flagged"),
    answered: isAfter("answered"),
    draft: isAfter("draft"),
    deleted: isAfter("deleted"),
    ...(mode === "replace" || keywords.length > 0 ? { keywords: { mode, names: keywords } } : {}),
  };
}
