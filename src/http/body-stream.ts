import { withTimeout } from "../lib/deadline.ts";
import { AppError, badRequest, unsupportedMediaType } from "../lib/errors.ts";
import type { ContentSink } from "../lib/json-extract/extract.ts";
import { readChunks } from "../lib/read-chunks.ts";
import type { BodyHold } from "./body-budget.ts";

/** Greatest body of any request, in bytes (docs/contract/requests.md#bodies). */
export const BODY_LIMIT = 40_000_000;
/** The slowest client that is read. */
interface Pace {
  /** Longest wait for the next chunk, in milliseconds. */
  idleMs: number;
  /** Slowest upload, after the first `idleMs`. */
  minBytesPerSecond: number;
}

/** A chunk has 15 s (docs/contract/requests.md#bodies). 4 KiB a second is slower than any modem of V.90. */
const PACE: Pace = { idleMs: 15_000, minBytesPerSecond: 4_096 };

/** How long a client may take for a body before its caller is confirmed, in ms: 40 MB may take hours, and what they ask for is done at their end. */
const CONFIRM_MS = 3_000;

// A function, because an error captures its stack, which takes as long as reading a chunk.
const tooSlow = () => new AppError(408, "The request body arrived too slowly");

/** Throws 400. The client closed the connection; this is no error of the service, so it is not logged as one. */
function endedEarly(): never {
  throw badRequest("The request body ended before it was complete");
}

/** Throws 415 for a body that is compressed. */
export function requireUncompressed(headers: Headers): void {
  const encoding = headers.get("Content-Encoding")?.trim().toLowerCase() || "identity";
  if (encoding !== "identity")
    throw unsupportedMediaType(`Content-Encoding is ${encoding}; send the body uncompressed`);
}

/** Receives the long contents of one request while it is read. `abort` deletes those of a refused request. */
export interface AttachmentSink extends ContentSink {
  abort(): Promise<void>;
}

/** The start of a body. `json` is the parsed body when it was parsed already. */
export interface BodyHead {
  chunks: Uint8Array[];
  isComplete: boolean;
  json?: unknown;
}

/** A body of which the start was read before the credential was known. */
export interface EarlyBody {
  stream: BodyStream;
  hold: BodyHold;
  /** Returns the start of the body. Throws the error that reading or parsing it met. */
  head(): BodyHead;
  /** The parsed body; undefined when it is large or has an error. */
  json: unknown;
}

/** Reads the body of a request in chunks, refuses slow clients, and computes the digest when it is needed. */
export class BodyStream {
  readonly #source: AsyncIterator<Uint8Array>;
  readonly #digest: DigestStream | null;
  readonly #digestWriter: WritableStreamDefaultWriter | null;
  readonly #pace: Pace;
  /** Runs at the end of a slow body. */
  confirmCaller = async (): Promise<void> => {};
  #size = 0;
  #readingMs = 0;
  #start: Uint8Array | null = null;

  /** `needsDigest`: the request has an Idempotency-Key, whose fingerprint includes the body. */
  constructor(body: ReadableStream<Uint8Array> | null, needsDigest: boolean, pace = PACE) {
    this.#pace = pace;
    this.#source = readChunks(body ?? new Blob([]).stream())[Symbol.asyncIterator]();
    this.#digest = needsDigest ? new crypto.DigestStream("SHA-256") : null;
    this.#digestWriter = this.#digest?.getWriter() ?? null;
  }

  /** Returns the next chunk, which is valid until the next call, or null at the end. Throws 408 for a slow client, and as `confirmCaller`. */
  async next(): Promise<Uint8Array | null> {
    const peeked = this.#start;
    this.#start = null;
    if (peeked !== null) return peeked;
    const start = Date.now();
    const read = this.#source.next().catch(endedEarly);
    const { done, value } = await withTimeout(this.#pace.idleMs, read, tooSlow);
    // Counts the time of the client only: not the time in which this service stores the chunk or waits for memory.
    this.#readingMs += Date.now() - start;
    if (done) {
      await this.#digestWriter?.close();
      if (this.#readingMs > CONFIRM_MS) await this.confirmCaller();
      return null;
    }
    this.#size += value.byteLength;
    const { idleMs, minBytesPerSecond } = this.#pace;
    if (this.#readingMs > idleMs && this.#size < (this.#readingMs / 1000) * minBytesPerSecond) throw tooSlow();
    await this.#digestWriter?.write(value);
    return value;
  }

  /** Returns the first chunk, and makes `next` return it again. Null for an empty body. */
  async peek(): Promise<Uint8Array | null> {
    this.#start = await this.next();
    return this.#start;
  }

  /** Yields the chunks that are left. Leaving the loop early does not close the connection. */
  async *rest(): AsyncGenerator<Uint8Array> {
    for (let chunk = await this.next(); chunk; chunk = await this.next()) yield chunk;
  }

  /** Returns a text that is equal for equal bodies only. Call it after the end of the body. */
  async fingerprint(): Promise<string> {
    if (this.#digest === null) throw new Error("the digest of the body was not requested");
    return `sha-256 ${Array.from(new Uint8Array(await this.#digest.digest)).join(".")}`;
  }

  /** Reads and discards the rest, up to BODY_LIMIT in all: some clients read no response before they have sent all. */
  async drain(): Promise<void> {
    try {
      while (this.#size < BODY_LIMIT && (await this.next()) !== null);
    } catch {
      // The connection is closed or too slow; the error response is sent anyway.
    }
    await this.cancel();
  }

  /** Stops reading. Not awaited by the source: a read that is late ends only when its bytes arrive. */
  async cancel(): Promise<void> {
    this.#source.return?.().catch(() => {});
  }
}
