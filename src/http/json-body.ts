import type { CallerCtx } from "../access/caller.ts";
import { concat } from "../lib/bytes.ts";
import { AppError } from "../lib/errors.ts";
import { type ContentSink, extractJson } from "../lib/json-extract/extract.ts";
import { BodyBudget, type BodyHold, largeBodyLimits, UNKNOWN_CALLER } from "./body-budget.ts";
import { type AttachmentSink, BODY_LIMIT, type BodyStream } from "./body-stream.ts";
import { openBody, readHead, requireJson, smallBodies } from "./early-body.ts";
import type { AppContext, Middleware } from "./env.ts";
import { type BodyKind, checkJson, MAX_NESTING, parseJson, toAppError } from "./json-errors.ts";

/** Buffers of a body that is read in chunks: a chunk, a write buffer, the incomplete string. */
const READER_BYTES = 200_000;
/** Memory of an upload: its part of 5 MiB, and what the runtime buffers on the way to R2. */
const UPLOAD_BYTES = 7_000_000;

/** The large bodies that this isolate holds. */
export const largeBodies = new BodyBudget(largeBodyLimits);

/** How a route reads its body. Without `openSink`, attachments and long texts are not extracted. */
interface BodyOptions {
  kind: BodyKind;
  openSink?: (caller: CallerCtx) => AttachmentSink;
  /** Returns the greatest length of a string in a body above 64 KiB, in UTF-16 units. Default 64 Ki. */
  maxString?: () => number;
  /** The field of an attachment that has its content. Default `content_base64`. */
  contentField?: string;
  /** A request without a body is one with an empty object. */
  isOptional?: true;
}

/** Ignores the body of a route that takes none: it is neither read nor part of the fingerprint. */
export const noBody: Middleware = async (c, next) => {
  c.set("bodyFingerprint", async () => "");
  await next();
};

/**
 * Returns the middleware that reads a JSON body of up to 40 MB for the validator after it (docs/contract/requests.md#bodies). A
 * body above 64 KiB is parsed while it is read: attachments and long html and text go to the sink of `openSink` and are
 * replaced by an ExtractedContent; those of a refused request are deleted. Throws 415 when the body is not declared as JSON or
 * is compressed, 413 beyond a limit, 422 when it is malformed, nested too deeply, or has NUL or a lone surrogate, 400 for
 * invalid base64, 408 for a client that is too slow, 429 when the isolate has no memory for it.
 */
export function jsonBody(options: BodyOptions): Middleware {
  return async (c, next) => {
    if (options.isOptional && hasNoBody(c)) {
      c.set("bodyFingerprint", async () => "");
      return runWith(c, next, {}, options.kind);
    }
    requireJson(c);
    const workspace = c.get("caller")?.workspace.number ?? UNKNOWN_CALLER;
    const early = c.get("earlyBody");
    const stream = early?.stream ?? openBody(c);
    c.set("bodyFingerprint", () => stream.fingerprint());
    const holds = [early?.hold ?? smallBodies.open(workspace), largeBodies.open(workspace)] as const;
    try {
      if (early) await holds[0].moveTo(workspace);
      const head = early ? early.head() : await readHead(stream, holds[0]);
      if (head.isComplete) return await runWith(c, next, head.json ?? parseJson(concat(head.chunks)), options.kind);
      holds[0].free();
      await readLarge(c, next, options, stream, head.chunks, holds[1]);
    } finally {
      for (const hold of holds) hold.free();
    }
  };
}

async function readLarge(
  c: AppContext,
  next: () => Promise<void>,
  options: BodyOptions,
  stream: BodyStream,
  head: Uint8Array[],
  hold: BodyHold,
): Promise<void> {
  const sink = options.openSink?.(c.get("caller")) ?? null;
  try {
    const length = Number(c.req.header("Content-Length") ?? BODY_LIMIT);
    const body = await extract(options, stream, head, hold, sink, length);
    if (sink) c.set("attachments", sink);
    await runWith(c, next, body, options.kind);
  } finally {
    await sink?.abort();
  }
}

async function extract(
  { kind, maxString, contentField }: BodyOptions,
  stream: BodyStream,
  head: Uint8Array[],
  hold: BodyHold,
  sink: ContentSink | null,
  length: number,
): Promise<unknown> {
  // Reserved at once: uploads that grow side by side could all wait for each other.
  const reserved = READER_BYTES + (sink ? Math.min(2 * length, UPLOAD_BYTES) : 0);
  try {
    await hold.growTo(reserved);
    const { skeleton } = await extractJson(prepend(head, stream), sink ?? unusedSink, {
      maxBody: BODY_LIMIT,
      maxDepth: kind === "list" ? MAX_NESTING + 1 : MAX_NESTING,
      errors: kind === "list" ? "keep" : "throw",
      extracts: sink !== null,
      ...(maxString === undefined ? {} : { maxString: maxString() }),
      ...(contentField === undefined ? {} : { contentField }),
      onHeld: (bytes) => hold.growTo(reserved + bytes),
    });
    return skeleton;
  } catch (error) {
    const refusal = toAppError(error);
    // A client that is too slow, or for which there is no memory, is not read any further.
    if (refusal instanceof AppError && (refusal.status === 408 || refusal.status === 429)) await stream.cancel();
    else await stream.drain();
    throw refusal;
  }
}

/** Not called: a body without a sink has no extracted contents. */
const unusedSink: ContentSink = { open: () => ({ write() {}, close() {}, abort() {} }) };

async function* prepend(head: Uint8Array[], stream: BodyStream): AsyncGenerator<Uint8Array> {
  for (let chunk = head.shift(); chunk; chunk = head.shift()) yield chunk;
  yield* stream.rest();
}

const hasNoBody = (c: AppContext) => c.req.raw.body === null || c.req.header("Content-Length") === "0";

/** Checks the body, and runs the rest of the route. Hono's validator reads it by c.req.json; the stream is consumed already. */
async function runWith(c: AppContext, next: () => Promise<void>, body: unknown, kind: BodyKind): Promise<void> {
  checkJson(body, kind);
  c.req.json = async <Body>() => body as Body;
  await next();
}
