import { utf8, utf8Into } from "../../../lib/bytes.ts";
import type { Ctx } from "../../../platform/context.ts";
import { ConcurrencyError } from "../../../platform/db/batch.ts";
import type { ContentPlace, StoredDocument } from "../content/index.ts";
import { recipientKey } from "../timeline/index.ts";
import type { Scrubber } from "./scrub.ts";

/** A content document of which all is removed (`isAlone`), or the address in it. */
export interface ContentErasure {
  place: ContentPlace;
  isAlone: boolean;
}

const EMPTY: StoredDocument = { text: null, html: null, headers: [], reply_to: null, attachments: [] };

/** Returns a document without the address. Its JSON is no longer than before. Pure. */
export function scrubDocument(text: string, key: string, scrubber: Scrubber): string {
  const document = JSON.parse(text) as StoredDocument;
  const others = (list: { email: string; name: string | null }[]) => list.filter((one) => recipientKey(one) !== key);
  const { visible } = document;
  const scrubbed = visible ? { ...document, visible: { to: others(visible.to), cc: others(visible.cc) } } : document;
  return scrubber.mask(JSON.stringify(scrubbed));
}

/** Returns the ranges of a document that are outside of it: attachments, long texts and a submitted body. */
function rangesOf({ text, html, attachments, raw }: StoredDocument): { texts: Range[]; files: Range[] } {
  const body: unknown = raw?.body;
  const texts = [text, html, body].filter(isRange);
  return { texts, files: attachments };
}

interface Range {
  at: number;
  size: number;
}

const isRange = (value: unknown): value is Range =>
  typeof value === "object" && value !== null && "at" in value && "size" in value;

/**
 * Overwrites contents in one R2 object that other emails use too; their positions stay. Safe to repeat. A missing object is not an
 * error. Throws ConcurrencyError when the object changed meanwhile.
 */
export async function overwriteContents(
  ctx: Ctx,
  contents: readonly ContentErasure[],
  { key, scrubber }: { key: string; scrubber: Scrubber },
): Promise<void> {
  const objectKey = contents[0]?.place.key;
  const object = objectKey === undefined ? null : await ctx.env.CONTENT.get(objectKey);
  if (objectKey === undefined || object === null) return;
  const bytes = new Uint8Array(await object.arrayBuffer());
  for (const { place, isAlone } of contents) {
    const document = bytes.subarray(place.offset, place.offset + place.size);
    const text = new TextDecoder().decode(document);
    const { texts, files } = rangesOf(JSON.parse(text) as StoredDocument);
    if (isAlone) for (const { at, size } of [...texts, ...files]) bytes.fill(SPACE, at, at + size);
    else for (const { at, size } of texts) maskRange(bytes.subarray(at, at + size), scrubber);
    write(document, isAlone ? JSON.stringify(EMPTY) : scrubDocument(text, key, scrubber));
  }
  const put = await ctx.env.CONTENT.put(objectKey, bytes, { onlyIf: { etagMatches: object.etag } });
  if (put === null) throw new ConcurrencyError();
}

const SPACE = 0x20;

function write(target: Uint8Array, text: string): void {
  const size = utf8(text).byteLength;
  if (size > target.byteLength) throw new Error(`a scrubbed document of ${size} bytes does not fit into its place`);
  target.fill(SPACE);
  utf8Into(text, target);
}

/** Masks an address in a text, whatever its encoding: bytes outside ASCII are compared one by one. */
function maskRange(range: Uint8Array, scrubber: Scrubber): void {
  const text = new TextDecoder("utf-8", { fatal: false, ignoreBOM: true }).decode(range);
  const masked = utf8(scrubber.mask(text));
  if (masked.byteLength === range.byteLength) range.set(masked);
}
