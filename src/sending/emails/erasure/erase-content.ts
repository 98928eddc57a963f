import { concat, utf8, utf8Into } from "../../../lib/bytes.ts";
import type { Ctx } from "../../../platform/context.ts";
import { ConcurrencyError } from "../../../platform/db/batch.ts";
import type { ContentPlace, StoredDocument, StoredRange } from "../content/index.ts";
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
function rangesOf({ text, html, attachments, raw }: StoredDocument): { texts: StoredRange[]; files: StoredRange[] } {
  const body: unknown = raw?.body;
  const texts = [text, html, body].filter(isRange);
  return { texts, files: attachments };
}

const isRange = (value: unknown): value is StoredRange =>
  typeof value === "object" && value !== null && "at" in value && "size" in value;

/** The person, by the canonical address. */
interface Erased {
  key: string;
  scrubber: Scrubber;
}

/**
 * Overwrites contents in one R2 object that other emails use too; their positions stay. Safe to repeat. A missing object is not an
 * error. Memory: the documents and a part of the object, which has up to 40 MB. Throws ConcurrencyError when it changed meanwhile.
 */
export async function overwriteContents(ctx: Ctx, contents: readonly ContentErasure[], person: Erased): Promise<void> {
  const objectKey = contents[0]?.place.key;
  const patches: Patch[] = [];
  const etags = new Set<string>();
  for (const content of contents) {
    const document = await readDocument(ctx, content.place);
    if (document === null) return;
    etags.add(document.etag);
    patches.push(...patchesOf(content, document.text, person));
  }
  const object = objectKey === undefined ? null : await ctx.env.CONTENT.get(objectKey);
  if (objectKey === undefined || object === null) return;
  if ([...etags].some((etag) => etag !== object.etag)) {
    await object.body.cancel();
    throw new ConcurrencyError();
  }
  await putOverwritten(ctx, object, overwriting(patches, person.scrubber));
}

async function readDocument(
  ctx: Ctx,
  { key, offset, size }: ContentPlace,
): Promise<{ text: string; etag: string } | null> {
  const object = await ctx.env.CONTENT.get(key, { range: { offset, length: size } });
  return object && { text: await object.text(), etag: object.etag };
}

function patchesOf({ place, isAlone }: ContentErasure, text: string, { key, scrubber }: Erased): Patch[] {
  const { texts, files } = rangesOf(JSON.parse(text) as StoredDocument);
  const document = isAlone ? JSON.stringify(EMPTY) : scrubDocument(text, key, scrubber);
  const ranges = isAlone ? [...texts, ...files] : texts;
  return [
    { at: place.offset, size: place.size, with: padded(document, place.size) },
    ...ranges.map(({ at, size }): Patch => ({ at, size, with: isAlone ? "spaces" : "mask" })),
  ];
}

/** Returns a text in UTF-8 with spaces after it. */
function padded(text: string, size: number): Uint8Array {
  const length = utf8(text).byteLength;
  if (length > size) throw new Error(`a scrubbed document of ${length} bytes does not fit into its place`);
  const bytes = new Uint8Array(size).fill(0x20);
  utf8Into(text, bytes);
  return bytes;
}

async function putOverwritten(
  { env }: Ctx,
  { key, size, etag, body }: R2ObjectBody,
  transform: ReturnType<typeof overwriting>,
): Promise<void> {
  // R2 takes a stream of known length only.
  const { readable, writable } = new FixedLengthStream(size);
  const stop = new AbortController();
  const copied = body
    .pipeThrough(transform)
    .pipeTo(writable, { signal: stop.signal })
    .catch(() => {});
  try {
    const put = await env.CONTENT.put(key, readable, { onlyIf: { etagMatches: etag } });
    if (put === null) throw new ConcurrencyError();
  } finally {
    // R2 does not read the stream when the condition fails.
    stop.abort();
    await copied;
  }
}

/** A range of an object that is overwritten: with spaces, with other bytes of the same size, or with the address masked in it. */
export interface Patch {
  at: number;
  size: number;
  with: "spaces" | "mask" | Uint8Array;
}

const SPACE = 0x20;

/** Returns a transform that overwrites ranges of a stream, which must not overlap. Holds a chunk and the longest form of the address. */
export function overwriting(patches: readonly Patch[], scrubber: Scrubber): TransformStream<Uint8Array, Uint8Array> {
  const sorted = patches.toSorted((a, b) => a.at - b.at);
  let held = new Uint8Array();
  let position = 0;
  /** Overwrites `held`, passes what no later byte can change, and holds the rest. */
  const pass = (controller: TransformStreamDefaultController<Uint8Array>, isEnd: boolean) => {
    while (sorted[0] && sorted[0].at + sorted[0].size <= position) sorted.shift();
    // An address that begins in these bytes is whole in `held`.
    const size = isEnd ? held.byteLength : Math.max(0, held.byteLength - scrubber.maxBytes);
    for (const patch of sorted) {
      if (patch.at >= position + held.byteLength) break;
      overwrite(held, position, patch, scrubber);
    }
    if (size === 0) return;
    controller.enqueue(held.slice(0, size));
    held = held.slice(size);
    position += size;
  };
  return new TransformStream({
    transform(chunk, controller) {
      held = concat([held, chunk]);
      pass(controller, false);
    },
    flush: (controller) => pass(controller, true),
  });
}

/** Applies a patch to the part of an object that begins at `position`. Safe to repeat on the same bytes. */
function overwrite(bytes: Uint8Array, position: number, { at, size, with: content }: Patch, scrubber: Scrubber): void {
  const start = Math.max(at - position, 0);
  const end = Math.min(at + size - position, bytes.byteLength);
  if (content === "spaces") bytes.fill(SPACE, start, end);
  else if (content === "mask") bytes.set(scrubber.maskBytes(bytes.subarray(start, end)), start);
  else bytes.set(content.subarray(start + position - at, end + position - at), start);
}
