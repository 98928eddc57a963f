import type { MiddlewareHandler } from "hono";
import type { CallerCtx } from "../context.ts";
import { AppError, badRequest, RequestTooLargeError, tooLarge, tooManyRequests, unprocessable } from "../errors.ts";
import { withTimeout } from "../lib/deadline.ts";
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
  bufferedBody,
  checkJson,
  contentErrorMessage,
  JSON_BODY_LIMIT,
  MAX_LIST_VALUES,
  MAX_VALUES,
  parseBody,
  requireJsonType,
} from "./json-body.ts";

/** Greatest body of any request, in bytes (decisions 1). */
const STREAMED_BODY_LIMIT = 40_000_000;
/** Streamed bodies that an isolate reads at the same time: each buffers a part of 5 MiB, of 128 MB in all. */
const MAX_CONCURRENT_BODIES = 2;
const RETRY_AFTER_SECONDS = 2;
/** Longest wait for the next chunk of a body, and for all of it. */
const IDLE_MS = 15_000;
const TOTAL_MS = 180_000;

/** Receives the attachments of one request while it is read. `abort` deletes those of a refused request. */
export interface AttachmentSink extends ContentSink {
  abort(): Promise<void>;
}

/** Options of `extractJson` for each kind of body. Nesting in a list is checked per item, after reading. */
const extractions = {
  record: { maxValues: MAX_VALUES, faults: "throw" },
  list: { maxValues: MAX_LIST_VALUES, maxDepth: MAX_LIST_VALUES, faults: "keep" },
} as const;

let activeBodies = 0;

/**
 * Returns the middleware that reads a JSON body of up to 40 MB. A small body is buffered by `bufferedBody`. Of a larger
 * one, each attachment goes to the sink of `openSink` while it is read and is replaced by an ExtractedContent. The
 * attachments of a refused request are deleted. Throws 413 beyond a limit, 400 for invalid base64, 408 for a body that
 * arrives too slowly, 429 when MAX_CONCURRENT_BODIES are being read.
 */
export function streamedBody(
  openSink: (caller: CallerCtx) => AttachmentSink,
  kind: BodyKind,
): MiddlewareHandler<AppEnv> {
  const buffered = bufferedBody(kind);
  return async (c, next) => {
    const length = c.req.header("Content-Length");
    if (length !== undefined && Number(length) <= JSON_BODY_LIMIT) return buffered(c, next);
    requireJsonType(c);
    if (Number(length ?? 0) > STREAMED_BODY_LIMIT)
      throw new RequestTooLargeError(`The body is ${length} bytes; the limit is ${STREAMED_BODY_LIMIT}`);
    const source = await openBody(c.req.raw, length === undefined);
    if (Array.isArray(source)) {
      parseBody(c, source, kind);
      return next();
    }
    if (activeBodies >= MAX_CONCURRENT_BODIES)
      throw tooManyRequests(
        "Too many large requests at once; try again",
        RETRY_AFTER_SECONDS,
        `"request-bodies";q=${MAX_CONCURRENT_BODIES};qu="concurrent-requests"`,
      );
    activeBodies += 1;
    const sink = openSink(c.get("caller"));
    try {
      const digest = new crypto.DigestStream("SHA-256");
      const body = await extract(source, sink, digest, kind);
      c.set("attachments", sink);
      c.set("bodyFingerprint", async () => `sha-256 ${Array.from(new Uint8Array(await digest.digest)).join(".")}`);
      c.req.json = async <Body>() => body as Body;
      await next();
    } finally {
      activeBodies -= 1;
      await sink.abort();
    }
  };
}

/**
 * Returns the chunks of a body. A body without Content-Length is read up to JSON_BODY_LIMIT first: if it ends before,
 * its chunks are returned as a list, which `parseBody` takes.
 */
async function openBody(request: Request, isLengthUnknown: boolean): Promise<AsyncIterable<Uint8Array> | Uint8Array[]> {
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
  return prepend(head, chunks);
}

async function* prepend(head: Uint8Array[], rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
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
  digest: DigestStream,
  kind: BodyKind,
): Promise<unknown> {
  const source = withDeadlines(chunks)[Symbol.asyncIterator]();
  // Without `return`: closing the connection on a client that is still sending would lose the error response.
  const uncancellable = { [Symbol.asyncIterator]: () => ({ next: () => source.next() }) };
  try {
    const { skeleton } = await extractJson(tee(uncancellable, digest), sink, {
      maxBody: STREAMED_BODY_LIMIT,
      maxSkeleton: JSON_BODY_LIMIT,
      ...extractions[kind],
    });
    checkJson(skeleton, kind);
    return skeleton;
  } catch (error) {
    await drain(source);
    throw toAppError(error);
  }
}

/** Reads and discards the rest of a body: some clients read no response before they have sent all of it. */
async function drain(source: AsyncIterator<Uint8Array>): Promise<void> {
  try {
    for (let left = STREAMED_BODY_LIMIT; left > 0; ) {
      const { done, value } = await source.next();
      if (done) return;
      left -= value.byteLength;
    }
    await source.return?.();
  } catch {
    // The connection is closed or too slow; the error response is sent anyway.
  }
}

/** Yields the chunks. Throws 408 when one takes longer than IDLE_MS, or all longer than TOTAL_MS. */
async function* withDeadlines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const source = chunks[Symbol.asyncIterator]();
  const end = Date.now() + TOTAL_MS;
  const tooSlow = new AppError(408, "The request body arrived too slowly");
  try {
    for (;;) {
      const { done, value } = await withTimeout(
        Math.max(Math.min(IDLE_MS, end - Date.now()), 0),
        source.next(),
        tooSlow,
      );
      if (done) return;
      yield value;
    }
  } finally {
    // Not awaited: it ends only when the late read does.
    source.return?.().catch(() => {});
  }
}

/** Yields the chunks and writes them to `digest`, for the fingerprint of an Idempotency-Key. */
async function* tee(chunks: AsyncIterable<Uint8Array>, digest: DigestStream): AsyncGenerator<Uint8Array> {
  const writer = digest.getWriter();
  for await (const chunk of chunks) {
    await writer.write(chunk);
    yield chunk;
  }
  await writer.close();
}

function toAppError(error: unknown): unknown {
  if (error instanceof BodyTooLarge && error.what === "body") return new RequestTooLargeError(error.message);
  if (error instanceof BodyTooLarge || error instanceof AttachmentTooLarge) return tooLarge(error.message);
  if (error instanceof Base64Invalid) return badRequest(contentErrorMessage(error));
  if (error instanceof JsonTooDeep) return invalid(error.message, "too_deep");
  if (error instanceof JsonInvalid) return invalid("The body is not valid JSON", "json_invalid");
  return error;
}

const invalid = (msg: string, type: string): AppError => unprocessable([{ loc: ["body"], msg, type }]);
