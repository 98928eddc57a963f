import { concat } from "../lib/bytes.ts";
import { RequestTooLargeError, unsupportedMediaType } from "../lib/errors.ts";
import { tryOr } from "../lib/try-or.ts";
import { BodyBudget, type BodyHold, smallBodyLimits, UNKNOWN_CALLER } from "./body-budget.ts";
import { BODY_LIMIT, type BodyHead, BodyStream, type EarlyBody, requireUncompressed } from "./body-stream.ts";
import type { AppContext } from "./env.ts";
import { parseJson } from "./json-errors.ts";

/** Greatest body that is buffered and parsed as a whole: its JSON cannot take much memory, whatever it contains. */
const SMALL_BODY_BYTES = 65_536;

/** The small bodies that this isolate holds. */
export const smallBodies = new BodyBudget(smallBodyLimits);

/** Returns the body of a request as a stream, after whose end the caller is confirmed if it was slow. */
export function openBody(c: AppContext, needsDigest = c.req.header("Idempotency-Key") !== undefined): BodyStream {
  const stream = new BodyStream(c.req.raw.body, needsDigest);
  stream.confirmCaller = async () => c.get("confirmCaller")?.();
  return stream;
}

/**
 * Reads a small body before the credential is known, so that its reads go to D1 together with those of the credential.
 * Returns null, and reads nothing, for a body that is large or not JSON, and when bodies of unknown callers hold all the
 * memory that they may. Never throws: errors of the body are reported after those of the credential.
 */
export async function readEarlyBody(c: AppContext): Promise<EarlyBody | null> {
  const length = Number(c.req.header("Content-Length") ?? SMALL_BODY_BYTES);
  const hold = smallBodies.open(UNKNOWN_CALLER);
  if (!(length <= SMALL_BODY_BYTES) || !isJson(c) || !hold.tryGrowTo(2 * length)) return null;
  const stream = openBody(c);
  try {
    const head = await readHead(stream, null);
    if (head.isComplete) head.json = parseJson(concat(head.chunks));
    return { stream, hold, head: () => head, json: head.json };
  } catch (error) {
    const head = (): never => {
      throw error;
    };
    return { stream, hold, head, json: undefined };
  }
}

const isJson = (c: AppContext): boolean => tryOr(() => requireJson(c) === undefined, false);

/** Throws 415 for a body that is not JSON by its headers, 413 for a Content-Length beyond BODY_LIMIT. */
export function requireJson(c: AppContext): void {
  const contentType = c.req.header("Content-Type");
  const mediaType = contentType?.split(";")[0]?.trim() ?? "";
  // The pattern of Hono's JSON validator, which reads the body next.
  if (!/^application\/([\w.-]+\+)?json$/i.test(mediaType)) {
    const problem = contentType ? `Content-Type is ${mediaType}` : "The Content-Type header is missing";
    throw unsupportedMediaType(`${problem}; the body must be application/json`);
  }
  requireUncompressed(c.req.raw.headers);
  const length = Number(c.req.header("Content-Length") ?? 0);
  if (length > BODY_LIMIT) throw new RequestTooLargeError(`The body is ${length} bytes; the limit is ${BODY_LIMIT}`);
}

/** Reads a body up to its end or a little beyond SMALL_BODY_BYTES. `hold` is null when the memory is held already. */
export async function readHead(stream: BodyStream, hold: BodyHold | null): Promise<BodyHead> {
  const chunks: Uint8Array[] = [];
  for (let size = 0; size <= SMALL_BODY_BYTES; ) {
    const chunk = await stream.next();
    if (chunk === null) return { chunks, isComplete: true };
    size += chunk.byteLength;
    chunks.push(chunk.slice());
    await hold?.growTo(Math.min(size, 2 * SMALL_BODY_BYTES));
  }
  return { chunks, isComplete: false };
}
