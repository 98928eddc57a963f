import type { FetchItem, Section } from "../../src/mail/imap/fetch-items.ts";
import { headerOf } from "../../src/mail/imap/header-fields.ts";
import { findPart, messageOf } from "../../src/mail/structures/find-part.ts";
import type { MessageRow } from "./mailbox.ts";
import { literalOf } from "./responses.ts";
import type { WorkerMailbox } from "./worker-mailbox.ts";

type SectionItem = Extract<FetchItem, { item: "section" }>;

/** A section that is ready to be written: all of `chunks` are `bytes` bytes. */
export interface OpenSection {
  label: string;
  bytes: number;
  chunks: AsyncIterable<Uint8Array>;
  /** Asks for the bytes of a section that comes from storage, which is otherwise done when they are read. */
  start?: () => Promise<unknown>;
}

/** A header of a part that is read whole to find fields in it, in bytes. */
const MAX_HEADER = 256 * 1024;

interface Place {
  from: number;
  end: number;
}

/** Returns a section of a message. Null: the message has no such part. */
export async function openSection(
  mailbox: WorkerMailbox,
  row: MessageRow,
  { name, section, range }: SectionItem,
): Promise<OpenSection | null> {
  const label = range === null ? name : `${name}<${range.from}>`;
  const place = placeOf(row, section);
  if (!place) return null;
  const { text, fields } = section;
  if (text === "header" || text === "fields" || text === "other-fields") {
    const known = section.path.length === 0 ? row.header : undefined;
    const header = known ?? (await readText(mailbox, row, place));
    return toOpen(label, headerOf(header, { text, fields }), range);
  }
  const from = Math.min(place.end, place.from + (range?.from ?? 0));
  const bytes = Math.min(place.end - from, range?.length ?? Number.POSITIVE_INFINITY);
  if (bytes === 0) return { label, bytes, chunks: none() };
  let reading: Promise<AsyncIterable<Uint8Array>> | null = null;
  const start = () => {
    reading ??= mailbox.read(row.object, from, bytes);
    return reading;
  };
  return { label, bytes, start, chunks: inTurn(start) };
}

/** Returns the beginning of a literal for a section, or NIL for one that does not exist. */
export const announce = (label: string, section: OpenSection | null): string =>
  section === null ? `${label} NIL` : `${section.label} ${literalOf(section.bytes)}`;

/** Returns where a section is in its message (RFC 3501 6.4.5). Null: the message has no such part. */
function placeOf({ size, headerSize, structure }: MessageRow, { path, text }: Section): Place | null {
  if (path.length === 0) {
    if (text === "content") return { from: 0, end: size };
    return text === "text" ? { from: headerSize, end: size } : { from: 0, end: headerSize };
  }
  const part = structure ? findPart(structure, path) : null;
  if (!part) return null;
  if (text === "content") return { from: part.body, end: part.end };
  if (text === "mime") return { from: part.header, end: part.body };
  const message = messageOf(part);
  if (!message) return null;
  const { headerEnd } = message;
  return text === "text" ? { from: headerEnd, end: part.end } : { from: part.body, end: headerEnd };
}

function toOpen(label: string, text: string, range: SectionItem["range"]): OpenSection {
  const part = range === null ? text : text.slice(range.from, range.from + range.length);
  return { label, bytes: part.length, chunks: one(Buffer.from(part, "latin1")) };
}

async function* none(): AsyncGenerator<Uint8Array> {}

async function* inTurn(start: () => Promise<AsyncIterable<Uint8Array>>): AsyncGenerator<Uint8Array> {
  yield* await start();
}

async function* one(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

async function readText(mailbox: WorkerMailbox, { object }: MessageRow, { from, end }: Place): Promise<string> {
  const length = Math.min(end - from, MAX_HEADER);
  if (length <= 0) return "";
  let text = "";
  for await (const chunk of await mailbox.read(object, from, length)) text += Buffer.from(chunk).toString("latin1");
  return text;
}
