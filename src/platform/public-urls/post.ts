import type { ParsedUrl } from "./parse.ts";

/** The result of one request. */
export interface PostResponse {
  /** Null: no response. */
  status: number | null;
  /** The first bytes of the body, as text. */
  body: string | null;
  /** Why there is no complete response; null when there is one. */
  error: string | null;
}

export interface PostOptions {
  headers: Record<string, string>;
  body: string;
  /** Until when the whole response must have arrived, in milliseconds. */
  timeoutMs: number;
  /** Bytes of the body that are read; the rest is dropped. */
  maxBodyBytes: number;
}

/** Sends one POST to a checked URL, without following redirects. Never throws. */
export async function postTo({ url }: ParsedUrl, options: PostOptions): Promise<PostResponse> {
  const signal = AbortSignal.timeout(options.timeoutMs);
  let status: number | null = null;
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { "Accept-Encoding": "identity", ...options.headers },
      body: options.body,
      redirect: "manual",
      signal,
    });
    status = response.status;
    const { body, isComplete } = await readBody(response.body, options.maxBodyBytes, signal);
    return { status, body, error: isComplete ? null : timeoutText(options.timeoutMs) };
  } catch (error) {
    return {
      status,
      body: null,
      error: signal.aborted ? timeoutText(options.timeoutMs) : `no response: ${reasonOf(error)}`,
    };
  }
}

const timeoutText = (ms: number) => `no complete response within ${ms / 1000} seconds`;

/** Returns the message of an error without the name of its class. */
const reasonOf = (error: unknown) => (error instanceof Error ? error.message : String(error)).slice(0, 500);

/** Reads up to `max` bytes, until the signal aborts. A stream that fails counts as ended when it has begun. */
export async function readBody(
  stream: ReadableStream<Uint8Array> | null,
  max: number,
  signal: AbortSignal,
): Promise<{ body: string; isComplete: boolean }> {
  if (!stream) return { body: "", isComplete: true };
  const reader = stream.getReader();
  const aborted = new Promise<null>((resolve) => signal.addEventListener("abort", () => resolve(null), { once: true }));
  const bytes = new Uint8Array(max);
  let length = 0;
  let isComplete = true;
  while (length < max) {
    const read = signal.aborted ? null : await Promise.race([reader.read(), aborted]);
    if (read === null) isComplete = false;
    if (read === null || read.done) break;
    const piece = read.value.subarray(0, max - length);
    bytes.set(piece, length);
    length += piece.byteLength;
  }
  // The receiver decides whether this ends in time, so nothing waits for it.
  reader.cancel().catch(() => {});
  return { body: toText(bytes.subarray(0, length), max), isComplete };
}

/** Decodes UTF-8. Bytes that are none, and NUL, which SQLite ends a text at, become U+FFFD; the result has at most `max`. */
function toText(bytes: Uint8Array, max: number): string {
  const text = new TextDecoder().decode(bytes).replaceAll("\0", "\uFFFD");
  const encoded = new TextEncoder().encode(text);
  return encoded.byteLength <= max ? text : new TextDecoder().decode(encoded.subarray(0, max)).replace(/\uFFFD$/, "");
}
