import * as z from "zod";
import { AppError } from "../../lib/errors.ts";
import { MAX_COPIED } from "../../mail/imap/commands.ts";
import { ImapError } from "../../mail/imap/cursor.ts";
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
import { missing, noSuchFolder, overQuota } from "./errors.ts";
import { FlagsIn, Folder, HeaderIn, KeyIn, Sequence, Uid } from "./schema.ts";

/** Messages that one call changes, and that one call reads. */
const MAX_CHANGED = 1_000;
const MAX_READ = 200;

const Uids = z.array(Uid).max(MAX_CHANGED);
/** `must_exist`: the client named them by number, so none is changed when one was expunged (RFC 2180 4.4.1). */
const Copy = { folder: Folder, uids: z.array(Uid).max(MAX_COPIED), to: Folder, must_exist: z.boolean().default(false) };

interface CallContext extends ImapMailbox {
  ctx: Ctx;
  store: MailboxStore;
}

/** Returns a call of a gateway for a mail program. It throws ImapError for what its client is told. */
const call = <Shape extends z.ZodRawShape, Result extends object>(
  shape: Shape,
  run: (of: CallContext, input: z.output<z.ZodObject<Shape>>) => Promise<Result>,
) => ({ input: z.object(shape), run });

const calls = {
  folders: call({}, ({ store }) => store.listFolderStates()),
  quota: call({}, async ({ store, quotaBytes }) => ({
    used_bytes: (await store.quota()).usedBytes,
    quota_bytes: quotaBytes,
  })),
  "create-folder": call({ folder: Folder }, async ({ store }, { folder }) => {
    requireName(folder);
    return changed(await store.createFolder(folder));
  }),
  "rename-folder": call({ folder: Folder, new_name: Folder }, async ({ store }, { folder, new_name: newName }) => {
    requireName(newName);
    return changed(await store.renameFolder(folder, newName));
  }),
  "delete-folder": call({ folder: Folder }, async (of, { folder }) => {
    let result = await of.store.deleteFolder(folder, true);
    // Its messages are deleted too (RFC 9051 6.3.5), at most 5,000 a time. Thunderbird deletes folders below Trash in this way.
    while ("refused" in result && result.refused === "not-empty") {
      await saveExpunged(of, await of.store.expungeOldest(folder));
      result = await of.store.deleteFolder(folder, true);
    }
    return changed(result);
  }),
  subscribe: call({ folder: Folder, is_subscribed: z.boolean() }, async ({ store }, { folder, is_subscribed }) => {
    const subscribed = await store.subscribe(folder, is_subscribed);
    // One of a folder that was renamed, or deleted in webmail, is ended already.
    return is_subscribed ? found(subscribed) : {};
  }),
  select: call({ folder: Folder }, async ({ store }, { folder }) => found(await store.readFolder(folder))),
  changes: call({ folder: Folder, since: Sequence }, async ({ store }, { folder, since }) =>
    found(await store.readChanges(folder, since)),
  ),
  fetch: call(
    { folder: Folder, uids: z.array(Uid).max(MAX_READ), header: HeaderIn.nullable(), structure: z.boolean() },
    async ({ store }, { folder, uids, header, structure }) => {
      const messages = found(await store.fetchMessages(folder, uids, { header, structure }));
      // The alarm of the mailbox finds them out, some seconds after the first start of a version that has them.
      if (structure && messages.some((message) => !message.structure))
        throw new ImapError("Older messages are being prepared for mail programs; try again in a minute", "INUSE");
      return { messages };
    },
  ),
  search: call({ folder: Folder, key: KeyIn, after: Sequence }, async ({ store }, { folder, key, after }) =>
    found(await store.searchByKey(folder, key, after)),
  ),
  store: call(
    {
      folder: Folder,
      uids: Uids,
      mode: z.enum(["replace", "add", "remove"]),
      flags: FlagsIn,
      unchanged_since: Sequence.nullable(),
    },
    async (of, { folder, uids, mode, flags, unchanged_since: unchangedSince }) => {
      const changes = toChanges(mode, flags);
      if (changes.deleted) await stopDrafts(of, folder, uids);
      const result = await of.store.changeFlags(folder, uids, changes, unchangedSince);
      if ("refused" in result && result.refused === "no-folder") throw noSuchFolder();
      if (!("states" in result)) throw new ImapError("The mailbox has too many keywords", "LIMIT");
      const { states, modified } = result;
      // Thunderbird marks each draft that it saves again or sends, and never expunges it: webmail would show them all.
      if (changes.deleted && folderName(folder) === "Drafts") {
        const marked = states.map(({ uid }) => uid);
        await saveExpunged(of, await of.store.expungeMarked(folder, marked));
      }
      return { states, modified };
    },
  ),
  copy: call(Copy, async (of, { folder, uids, to, must_exist: mustExist }) => {
    const result = await of.store.copy(folder, uids, to, { quotaBytes: of.quotaBytes, mustExist });
    if ("unknown" in result) throw missing(result.unknown);
    if ("refused" in result) throw overQuota();
    await saveUsedBytes(of.ctx, { id: of.mailboxId }, result.usedBytes);
    return { moved: result.copied, uidvalidity: result.uidvalidity };
  }),
  move: call(Copy, async (of, { folder, uids, to, must_exist: mustExist }) => {
    if (folderName(folder) === "Drafts") {
      const unknown = await of.store.findMissing(folder, uids, to, mustExist);
      if (unknown !== null) throw missing(unknown);
      await stopDrafts(of, folder, uids);
    }
    const result = await (mustExist ? of.store.moveAll(folder, uids, to) : of.store.move(folder, uids, to));
    if ("unknown" in result) throw missing(result.unknown);
    return { moved: result.moved, uidvalidity: result.uidvalidity };
  }),
  expunge: call({ folder: Folder, uids: z.array(Uid).max(10_000).nullable() }, async (of, { folder, uids }) => {
    const expunged = found(await of.store.expungeMarked(folder, uids));
    await saveExpunged(of, expunged);
    return { uids: expunged.uids };
  }),
};

type Calls = typeof calls;
export type CallName = keyof Calls;
/** The fields of a call beside its name, and its result. */
export type CallInput<Name extends CallName> = z.input<Calls[Name]["input"]>;
export type CallResult<Name extends CallName> = Awaited<ReturnType<Calls[Name]["run"]>>;

const inputs = Object.entries<{ input: z.ZodObject }>(calls).map(([name, { input }]) =>
  input.extend({ name: z.literal(name) }),
);
type Inputs = typeof inputs;

/** A call as it arrives: its name and its fields. */
export const CallIn = z.discriminatedUnion("name", inputs as [Inputs[number], ...Inputs]);

/** Runs a call of a mail program: most are one call of the mailbox object. Throws ImapError for what its client is told. */
export function runCall(ctx: Ctx, mailbox: ImapMailbox, { name, ...input }: z.output<typeof CallIn>): Promise<object> {
  const { run } = calls[name as CallName] as { run(of: CallContext, input: object): Promise<object> };
  return run({ ctx, store: mailboxStore(ctx, mailbox.mailboxId), ...mailbox }, input);
}

/** Stops the emails that wait to be sent from drafts which a mail program deletes: it has stored, or sends, another version. */
async function stopDrafts({ ctx, store }: CallContext, folder: string, uids: readonly number[]) {
  if (folderName(folder) !== "Drafts") return;
  await stopSending(ctx, await store.findClaims(uids)).catch((error: unknown) => {
    throw error instanceof AppError ? new ImapError(String(error.detail), "INUSE") : error;
  });
}

/** Saves the size of a mailbox after messages of it were expunged. Null: there was no such folder. */
async function saveExpunged({ ctx, mailboxId }: CallContext, expunged: { uids: number[]; usedBytes: number } | null) {
  if (expunged && expunged.uids.length > 0) await saveUsedBytes(ctx, { id: mailboxId }, expunged.usedBytes);
}

function requireName(folder: string): void {
  const issue = nameIssue(folder);
  if (issue !== null) throw new ImapError(issue, "CANNOT");
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
