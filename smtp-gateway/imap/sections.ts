import type { FetchItem, Section } from "../../src/mail/imap/index.ts";
import { headerOf } from "./header-fields.ts";
import type { Mailbox, MessageRow } from "./mailbox.ts";
import { literalOf } from "./responses.ts";

type SectionItem = Extract<FetchItem, { item: "section" }>;

/** A section that is ready to be written: all of `chunks` are `bytes` bytes. */
export interface OpenSection {
  label: string;
  bytes: number;
  chunks: AsyncIterable<Uint8Array>;
}

/** A header of a part that is read whole to find fields in it, in bytes. */
const MAX_HEADER = 256 * 1024;

/** Returns whether a section is of the message's own header, which needs no stored object. */
export const isOfHeader = ({ path, text }: Section): boolean =>
  path.length === 0 && (text === "header" || text === "fields" || text === "other-fields");

/** Returns a section of a message, of which the first bytes are on their way. Null: the message has no such part. */
export async function openSection(
  mailbox: Mailbox,
  row: MessageRow,
  { name, section, range }: SectionItem,
): Promise<OpenSection | null> {
  const label = range === null ? name : `${name}<${range.from}>`;
  if (isOfHeader(section)) return toOpen(label, headerOf(row.header ?? "", section), range);
  const place = placeOf(row, section);
  const object = row.place?.object;
  if (!place || object === undefined) return null;
  if (section.text === "fields" || section.text === "other-fields") {
    const length = Math.min(place.end - place.from, MAX_HEADER);
    const header = await readText(await mailbox.read(object, place.from, length));
    return toOpen(label, headerOf(header, section), range);
  }
  const from = Math.min(place.end, place.from + (range?.from ?? 0));
  const bytes = Math.min(place.end - from, range?.length ?? Number.POSITIVE_INFINITY);
  return { label, bytes, chunks: bytes === 0 ? none() : await mailbox.read(object, from, bytes) };
}

/** Returns the beginning of a literal for a section, or NIL for one that does not exist. */
export const announce = (label: string, section: OpenSection | null): string =>
  section === null ? `${label} NIL` : `${section.label} ${literalOf(section.bytes)}`;

/** Returns where a section is in its message (RFC 3501 6.4.5). Null: the message has no such part. */
function placeOf(
  { size, headerSize, place }: MessageRow,
  { path, text }: Section,
): { from: number; end: number } | null {
  if (path.length === 0) return { from: text === "text" ? headerSize : 0, end: size };
  const part = place?.parts[path.join(".")];
  if (!part) return null;
  if (text === "content") return { from: part.body, end: part.end };
  if (text === "mime") return { from: part.header, end: part.body };
  if (part.innerHeaderEnd === undefined) return null;
  return text === "text" ? { from: part.innerHeaderEnd, end: part.end } : { from: part.body, end: part.innerHeaderEnd };
}

function toOpen(label: string, text: string, range: SectionItem["range"]): OpenSection {
  const part = range === null ? text : text.slice(range.from, range.from + range.length);
  return { label, bytes: part.length, chunks: one(Buffer.from(part, "latin1")) };
}

async function* none(): AsyncGenerator<Uint8Array> {}

async function* one(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

async function readText(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  let text = "";
  for await (const chunk of chunks) text += Buffer.from(chunk).toString("latin1");
  return text;
}
