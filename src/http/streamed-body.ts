import type { MiddlewareHandler } from "hono";
import type { CallerCtx } from "../context.ts";
import { AppError, badRequest, tooLarge, tryLater, unprocessable } from "../errors.ts";
import { within } from "../lib/deadline.ts";
import { bodyChunks } from "../lib/json-extract/body.ts";
import {
  AttachmentTooLarge,
  Base64Invalid,
  BodyTooLarge,
  JsonInvalid,
  JsonTooDeep,
} from "../lib/json-extract/errors.ts";
import { type ContentSink, extractJson } from "../lib/json-extract/extract.ts";
import type { AppEnv } from "./env.ts";
import {
  type BodyKind,
  JSON_BODY_LIMIT,
  MAX_LIST_VALUES,
  MAX_VALUES,
  requireGoodText,
  requireJsonType,
  useWholeBody,
  wholeBody,
  whyRefused,
} from "./json-body.ts";

/** Greatest body of any request (decisions 1). */
const STREAMED_BODY_LIMIT = 40_000_000;
/** Streamed bodies an isolate reads at once: each holds a part of 5 MiB, and 128 MB are for everything. */
const AT_ONCE = 2;
const RETRY_AFTER_SECONDS = 2;
/** A body that brings nothing for so long, or is not through after so long, gives its place to others. */
const IDLE_MS = 15_000;
const WHOLE_MS = 180_000;

/** Where the attachments of one request go while it is read. `abort` forgets those of a request that was refused. */
export interface AttachmentSink extends ContentSink {
  abort(): Promise<void>;
}

/** How each kind of body is taken apart. Nesting in a list is judged item by item, when it is there. */
const extractions = {
  record: { maxValues: MAX_VALUES, faults: "throw" },
  list: { maxValues: MAX_LIST_VALUES, maxDepth: MAX_LIST_VALUES, faults: "keep" },
} as const;

let underWay = 0;

/**
 * Reads a JSON body of up to 40 MB: small ones whole, as `wholeBody` does, larger ones as they stream in, with
 * each attachment's content on its way to `openSink`'s sink and an ExtractedContent left in its place. What
 * a refused request had stored is forgotten. 413 past a limit, 400 for bad base64, 429 when two are under way.
 */
export function streamedBody(
  openSink: (caller: CallerCtx) => AttachmentSink,
  kind: BodyKind,
): MiddlewareHandler<AppEnv> {
  const whole = wholeBody(kind);
  return async (c, next) => {
    const length = c.req.header("Content-Length");
    if (length !== undefined && Number(length) <= JSON_BODY_LIMIT) return whole(c, next);
    requireJsonType(c.req.header("Content-Type"));
    if (Number(length ?? 0) > STREAMED_BODY_LIMIT)
      throw tooLarge(`The body is larger than ${STREAMED_BODY_LIMIT} bytes`);
    const source = await begin(c.req.raw, length === undefined);
    if (Array.isArray(source)) {
      useWholeBody(c, source, kind);
      return next();
    }
    if (underWay >= AT_ONCE) throw tryLater(429, "Too many large requests at once; try again", RETRY_AFTER_SECONDS);
    underWay += 1;
    const sink = openSink(c.get("caller"));
    try {
      const fingerprint = new crypto.DigestStream("SHA-256");
      const body = await extract(source, sink, fingerprint, kind);
      c.set("attachments", sink);
      c.req.text = async () => `sha-256 ${Array.from(new Uint8Array(await fingerprint.digest)).join(".")}`;
      c.req.json = async <Body>() => body as Body;
      await next();
    } finally {
      underWay -= 1;
      await sink.abort();
    }
  };
}

/**
 * The chunks of a body to be streamed. One that does not say its length is read until it turns out to be
 * large: if it does not, its chunks are answered as a list.
 */
async function begin(request: Request, isLengthUnknown: boolean): Promise<AsyncIterable<Uint8Array> | Uint8Array[]> {
  if (!request.body) return [];
  if (!isLengthUnknown) return bodyChunks(request.body);
  const chunks = request.body[Symbol.asyncIterator]();
  const head: Uint8Array[] = [];
  for (let size = 0; size <= JSON_BODY_LIMIT; ) {
    const { done, value } = await chunks.next();
    if (done) return head;
    head.push(value);
    size += value.byteLength;
  }
  return rejoined(head, chunks);
}

async function* rejoined(head: Uint8Array[], rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    for (let chunk = head.shift(); chunk; chunk = head.shift()) yield chunk;
    for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
  } finally {
    await rest.return?.();
  }
}

async function extract(
  chunks: AsyncIterable<Uint8Array>,
  sink: ContentSink,
  fingerprint: DigestStream,
  kind: BodyKind,
): Promise<unknown> {
  const source = inTime(chunks)[Symbol.asyncIterator]();
  // Without `return`: a refusal must not hang up on a caller who is still sending.
  const held = { [Symbol.asyncIterator]: () => ({ next: () => source.next() }) };
  try {
    const { skeleton } = await extractJson(tee(held, fingerprint), sink, {
      maxBody: STREAMED_BODY_LIMIT,
      maxSkeleton: JSON_BODY_LIMIT,
      ...extractions[kind],
    });
    requireGoodText(skeleton, kind);
    return skeleton;
  } catch (error) {
    await readOn(source);
    throw toAppError(error);
  }
}

/** Reads what is still coming, up to the size of any body, and forgets it: some clients hear no answer before. */
async function readOn(source: AsyncIterator<Uint8Array>): Promise<void> {
  try {
    for (let left = STREAMED_BODY_LIMIT; left > 0; ) {
      const { done, value } = await source.next();
      if (done) return;
      left -= value.byteLength;
    }
    await source.return?.();
  } catch {
    // The connection is gone, or too slow; the answer is on its way all the same.
  }
}

/** The chunks, as long as they keep coming. Throws 408. */
async function* inTime(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const source = chunks[Symbol.asyncIterator]();
  const end = Date.now() + WHOLE_MS;
  const tooSlow = new AppError(408, "The body came too slowly");
  try {
    for (;;) {
      const { done, value } = await within(Math.max(Math.min(IDLE_MS, end - Date.now()), 0), source.next(), tooSlow);
      if (done) return;
      yield value;
    }
  } finally {
    // Not waited for: it ends only when the read that came too late does.
    source.return?.().catch(() => {});
  }
}

/** The chunks as they are, and the same to a digest: an Idempotency-Key is compared with the whole body. */
async function* tee(chunks: AsyncIterable<Uint8Array>, digest: DigestStream): AsyncGenerator<Uint8Array> {
  const writer = digest.getWriter();
  for await (const chunk of chunks) {
    await writer.write(chunk);
    yield chunk;
  }
  await writer.close();
}

function toAppError(error: unknown): unknown {
  if (error instanceof BodyTooLarge || error instanceof AttachmentTooLarge) return tooLarge(error.message);
  if (error instanceof Base64Invalid) return badRequest(whyRefused(error));
  if (error instanceof JsonTooDeep) return invalid(error.message, "too_deep");
  if (error instanceof JsonInvalid) return invalid("The body is not valid JSON", "json_invalid");
  return error;
}

const invalid = (msg: string, type: string): AppError => unprocessable([{ loc: ["body"], msg, type }]);
