import { MAX_COPIED, type SearchResult } from "../../src/mail/imap/commands.ts";
import { ImapSyntaxError } from "../../src/mail/imap/cursor.ts";
import type { SearchKey } from "../../src/mail/imap/search-keys.ts";
import { toSequenceSet } from "../../src/mail/imap/sequence-sets.ts";
import { CommandError } from "./command-error.ts";
import type { ReceivedCommand } from "./command-source.ts";
import type { CopiedMessages, MessageState } from "./mailbox.ts";
import { formatFlags, quote } from "./responses.ts";
import type { CommandOf, Completion, Session } from "./session.ts";

/** Messages of one call of the Worker. */
const PAGE = 1_000;

function pagesOf(uids: readonly number[], size = PAGE): number[][] {
  const pages: number[][] = [];
  for (let at = 0; at < uids.length; at += size) pages.push(uids.slice(at, at + size));
  return pages;
}

/** Answers STORE. Of messages that changed after UNCHANGEDSINCE nothing is changed, and their numbers are returned (RFC 7162). */
export async function runStore(session: Session, command: CommandOf<"STORE">): Promise<Completion> {
  const { byUid, set, mode, silent, flags, unchangedSince } = command;
  const selected = session.writable;
  if (!byUid && selected.exceeds(set)) throw new ImapSyntaxError("There is no such message");
  if (unchangedSince !== null) session.condstore = true;
  const modified: number[] = [];
  for (const uids of pagesOf(selected.resolve(set, byUid))) {
    const result = await session.mailbox.store(selected.name, uids, { mode, flags, unchangedSince });
    if (silent) selected.recordSilently(result.stored, { mode, flags });
    else selected.record(result.stored);
    modified.push(...result.modified);
    // A silent client still learns the modification sequence of its change (RFC 7162 3.1.3).
    if (!silent || session.condstore) tellStored(session, result.stored, { byUid, silent });
    await session.writer.ready();
  }
  if (modified.length === 0) return { text: "STORE is complete" };
  const numbers = byUid ? modified : modified.map((uid) => selected.numberOf(uid)).filter((number) => number !== null);
  return { code: `MODIFIED ${toSequenceSet(numbers)}`, text: "Some messages have changed meanwhile" };
}

function tellStored(
  { selected, condstore, writer }: Session,
  states: readonly MessageState[],
  { byUid, silent }: { byUid: boolean; silent: boolean },
): void {
  const lines = states.flatMap((state) => {
    const number = selected.numberOf(state.uid);
    const uid = byUid || condstore ? [`UID ${state.uid}`] : [];
    const flags = silent ? [] : [`FLAGS ${formatFlags(state)}`];
    const modseq = condstore ? [`MODSEQ (${state.modseq})`] : [];
    return number === null ? [] : [`* ${number} FETCH (${[...uid, ...flags, ...modseq].join(" ")})`];
  });
  writer.lines(lines);
}

/** Answers COPY and MOVE with the UIDs before and after (RFC 4315, RFC 6851). */
export async function runCopy(session: Session, command: CommandOf<"COPY"> | CommandOf<"MOVE">): Promise<Completion> {
  const { name, byUid, set, folder } = command;
  const isMove = name === "MOVE";
  const selected = isMove ? session.writable : session.selected;
  if (!byUid && selected.exceeds(set)) throw new ImapSyntaxError("There is no such message");
  const { mailbox } = session;
  // The Worker leaves these messages as they are, so no UID was assigned that COPYUID could tell.
  if (isMove && folder === selected.name) return { text: "MOVE is complete; the messages were there" };
  const pages = pagesOf(selected.resolve(set, byUid), MAX_COPIED);
  // RFC 3501 6.4.7: all or nothing.
  if (!isMove && pages.length > 1) throw new CommandError(`COPY takes at most ${MAX_COPIED} messages`, "LIMIT");
  const parts: CopiedMessages[] = [];
  for (const uids of pages)
    parts.push(
      await mailbox.copy(isMove ? "move" : "copy", { folder: selected.name, uids, to: folder, mustExist: !byUid }),
    );
  const [first] = parts;
  const from = parts.flatMap((part) => part.from);
  if (!first || from.length === 0) return { text: `${name} is complete; there were no messages` };
  const to = parts.flatMap((part) => part.to);
  const code = `COPYUID ${first.uidvalidity} ${toSequenceSet(from)} ${toSequenceSet(to)}`;
  if (!isMove) {
    await session.syncAdded(folder);
    return { code, text: "COPY is complete" };
  }
  session.writer.lines([`* OK [${code}] Moved`]);
  await session.sync();
  return { text: "MOVE is complete" };
}

/** Expunges the messages of the selected folder that are marked as deleted: all, or those of these UIDs. */
export async function expungeMarked({ selected, mailbox }: Session, uids: readonly number[] | null): Promise<void> {
  // One call takes a part of them.
  for (const page of uids ? pagesOf(uids) : [null]) while ((await mailbox.expunge(selected.name, page)).length > 0);
}

/** Answers EXPUNGE and UID EXPUNGE (RFC 4315 2.1). */
export async function runExpunge(session: Session, { set }: CommandOf<"EXPUNGE">): Promise<Completion> {
  const selected = session.writable;
  await expungeMarked(session, set && selected.resolve(set, true));
  await session.sync();
  return session.condstore
    ? { code: `HIGHESTMODSEQ ${selected.syncedModseq}`, text: "EXPUNGE is complete" }
    : { text: "EXPUNGE is complete" };
}

/** Answers SEARCH, plain or with the results of RFC 4731. */
export async function runSearch(
  session: Session,
  command: CommandOf<"SEARCH">,
  { tag }: ReceivedCommand,
): Promise<Completion> {
  const { selected, writer } = session;
  if (command.wantsModificationSequence) session.condstore = true;
  const found = await session.mailbox.search(selected.name, byUids(session, command.key));
  const uids = found.filter((uid) => selected.numberOf(uid) !== null);
  const numbers = command.byUid ? uids : uids.map((uid) => selected.numberOf(uid) ?? 0);
  const modseqs = command.wantsModificationSequence ? uids.map((uid) => selected.stateOf(uid)?.modseq ?? 0) : [];
  const greatest = modseqs.length > 0 ? Math.max(...modseqs) : null;
  if (command.results === null) {
    const modseq = greatest === null ? "" : ` (MODSEQ ${greatest})`;
    writer.lines([`* SEARCH${numbers.map((number) => ` ${number}`).join("")}${modseq}`]);
    return { text: "SEARCH is complete" };
  }
  const results = command.results.flatMap((result) => formatResult(result, numbers));
  const modseq = greatest === null ? [] : [`MODSEQ ${greatest}`];
  const uid = command.byUid ? ["UID"] : [];
  writer.lines([[`* ESEARCH (TAG ${quote(tag)})`, ...uid, ...results, ...modseq].join(" ")]);
  return { text: "SEARCH is complete" };
}

function formatResult(result: SearchResult, numbers: readonly number[]): string[] {
  const [least, greatest] = [numbers[0], numbers.at(-1)];
  if (result === "COUNT") return [`COUNT ${numbers.length}`];
  if (least === undefined) return [];
  if (result === "MIN") return [`MIN ${least}`];
  return result === "MAX" ? [`MAX ${greatest}`] : [`ALL ${toSequenceSet(numbers)}`];
}

/** Returns a condition in which UIDs stand for sequence numbers, which only this connection knows. */
function byUids(session: Session, key: SearchKey): SearchKey {
  switch (key.key) {
    case "numbers":
    case "uids": {
      const set = session.selected.rangesOf(key.set, key.key === "uids");
      return set.length === 0 ? { key: "none" } : { key: "uids", set };
    }
    case "and":
    case "or":
      return { key: key.key, keys: key.keys.map((one) => byUids(session, one)) };
    case "not":
      return { key: "not", of: byUids(session, key.of) };
    default:
      return key;
  }
}
