import { ImapSyntaxError } from "../../src/mail/imap/cursor.ts";
import { formatDateTime } from "../../src/mail/imap/dates.ts";
import type { FetchItem } from "../../src/mail/imap/fetch-items.ts";
import { unionOf } from "../../src/mail/imap/header-fields.ts";
import { renderBody, renderEnvelope } from "../../src/mail/structures/render.ts";
import type { MessageStructure } from "../../src/mail/structures/types.ts";
import { BrokenResponseError, CommandError } from "./command-error.ts";
import type { MessageRow, WantedColumns } from "./mailbox.ts";
import { formatFlags } from "./responses.ts";
import { announce, type OpenSection, openSection } from "./sections.ts";
import type { CommandOf, Completion, Session } from "./session.ts";

/** Messages that are read in one call. */
const PAGE = 200;

/** Answers FETCH and UID FETCH. Flags come from the session, headers from the mailbox's record, and only bodies from storage. */
export async function runFetch(session: Session, command: CommandOf<"FETCH">): Promise<Completion> {
  const { selected } = session;
  if (!command.byUid && selected.exceeds(command.set)) throw new ImapSyntaxError("There is no such message");
  const items = withImplied(session, command);
  const uids = selected
    .resolve(command.set, command.byUid)
    .filter((uid) => command.changedSince === null || (selected.stateOf(uid)?.modseq ?? 0) > command.changedSince);
  const present = uids.filter((uid) => !selected.isExpunged(uid));
  if (items.some(makesSeen) && !selected.isReadOnly) await markSeen(session, present);
  const wanted = wantedColumns(items);
  for (let at = 0; at < uids.length; at += PAGE) {
    const page = uids.slice(at, at + PAGE);
    const rows = wanted === null ? [] : await session.mailbox.fetch(selected.name, page, wanted);
    const rowOf = new Map(rows.map((row) => [row.uid, row]));
    for (const uid of page) await writeMessage(session, uid, wanted === null ? null : rowOf.get(uid), items);
  }
  // A message that another client has expunged cannot be fetched; this client learns of it later (RFC 5530).
  if (present.length < uids.length && !command.byUid)
    throw new CommandError("Some of the messages were expunged", "EXPUNGEISSUED");
  return { text: "FETCH is complete" };
}

/** UID FETCH returns the UID, and a FETCH that makes messages seen or asks for changes returns what it implies. */
function withImplied(session: Session, { byUid, items, changedSince }: CommandOf<"FETCH">): FetchItem[] {
  if (changedSince !== null || items.some(({ item }) => item === "modseq")) session.condstore = true;
  const names = new Set(items.map(({ item }) => item));
  const implied: FetchItem[] = [];
  if (byUid && !names.has("uid")) implied.push({ item: "uid" });
  if (items.some(makesSeen) && !session.selected.isReadOnly && !names.has("flags")) implied.push({ item: "flags" });
  if (changedSince !== null && !names.has("modseq")) implied.push({ item: "modseq" });
  return [...implied, ...items];
}

const makesSeen = (item: FetchItem) => item.item === "section" && !item.peek;

async function markSeen(session: Session, uids: readonly number[]): Promise<void> {
  const { selected, mailbox } = session;
  const unseen = uids.filter((uid) => !selected.stateOf(uid)?.flags.includes("\\Seen"));
  for (let at = 0; at < unseen.length; at += PAGE) {
    const { stored } = await mailbox.store(selected.name, unseen.slice(at, at + PAGE), {
      mode: "add",
      flags: { flags: ["\\Seen"], keywords: [] },
      unchangedSince: null,
    });
    selected.record(stored);
  }
}

/** Returns what must be read of the messages, or null when the session knows all. */
function wantedColumns(items: readonly FetchItem[]): WantedColumns | null {
  const others = items.filter(({ item }) => item !== "uid" && item !== "flags" && item !== "modseq");
  if (others.length === 0) return null;
  const sections = others.flatMap((item) => (item.item === "section" ? [item.section] : []));
  const headers = sections.flatMap(({ path, text, fields }) =>
    path.length === 0 && (text === "header" || text === "fields" || text === "other-fields") ? [{ text, fields }] : [],
  );
  const needsStructure = ({ item }: FetchItem) => item === "envelope" || item === "body" || item === "bodystructure";
  return {
    header: headers.length === 0 ? null : unionOf(headers),
    structure: others.some(needsStructure) || sections.some(({ path }) => path.length > 0),
  };
}

/**
 * Writes the response for a message. The first of its sections that comes from storage is asked for before, so that a failure leaves no
 * half of a response. The others wait for their turn: a client with 50 of them would hold as many connections to the Worker, and a few
 * such clients all of them, each waiting for one more.
 */
async function writeMessage(
  session: Session,
  uid: number,
  row: MessageRow | null | undefined,
  items: readonly FetchItem[],
): Promise<void> {
  const { selected, writer, mailbox } = session;
  const number = selected.numberOf(uid);
  // Expunged meanwhile: the client is told after the command.
  if (number === null || row === undefined) return;
  const sections = new Map<FetchItem, OpenSection | null>();
  for (const item of items)
    if (item.item === "section") sections.set(item, row && (await openSection(mailbox, row, item)));
  for (const section of sections.values())
    if (section?.start) {
      await section.start();
      break;
    }
  writer.text(`* ${number} FETCH (`);
  for (const [index, item] of items.entries()) {
    if (index > 0) writer.text(" ");
    if (item.item !== "section") writer.text(formatItem(session, uid, row, item.item));
    else await writeSection(session, announce(item.name, sections.get(item) ?? null), sections.get(item) ?? null);
  }
  writer.text(")\r\n");
  await writer.ready();
}

async function writeSection({ writer }: Session, beginning: string, section: OpenSection | null): Promise<void> {
  writer.text(beginning);
  if (!section) return;
  let left = section.bytes;
  try {
    for await (const chunk of section.chunks) {
      const bytes = chunk.subarray(0, left);
      left -= bytes.length;
      writer.bytes(withoutNul(bytes));
      await writer.ready();
    }
  } catch (error) {
    throw new BrokenResponseError(String(error));
  }
  if (left > 0) throw new BrokenResponseError("the message is shorter than its record says");
}

/** Returns bytes as a literal may have them (RFC 3501 4.3.1): a NUL becomes 0x80, as with Dovecot, so that no place moves. */
const withoutNul = (bytes: Uint8Array): Uint8Array => (bytes.includes(0) ? bytes.map((byte) => byte || 0x80) : bytes);

function formatItem(
  session: Session,
  uid: number,
  row: MessageRow | null,
  item: Exclude<FetchItem["item"], "section">,
): string {
  const state = session.selected.stateOf(uid);
  switch (item) {
    case "uid":
      return `UID ${uid}`;
    case "flags":
      return `FLAGS ${formatFlags(state ?? { flags: [], keywords: [] })}`;
    case "modseq":
      return `MODSEQ (${state?.modseq ?? 1})`;
    case "internaldate":
      return `INTERNALDATE ${formatDateTime(row?.receivedAt ?? 0)}`;
    case "size":
      return `RFC822.SIZE ${row?.size ?? 0}`;
    case "envelope":
      return `ENVELOPE ${renderEnvelope(structureOf(row).envelope)}`;
    case "body":
      return `BODY ${renderBody(structureOf(row).root, false)}`;
    case "bodystructure":
      return `BODYSTRUCTURE ${renderBody(structureOf(row).root, true)}`;
  }
}

function structureOf(row: MessageRow | null): MessageStructure {
  if (!row?.structure) throw new Error("the structure of a message was not read");
  return row.structure;
}
