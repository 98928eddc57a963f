/** Dot-stuffs a message and rejects line ends other than CRLF (RFC 5321 4.5.2). No I/O. */

/** Signals a malformed message that must not be sent; the text says why. */
export class MessageFormatError extends Error {
  override name = "MessageFormatError";
}

const [NUL, CR, LF, DOT] = [0x00, 0x0d, 0x0a, 0x2e];

/**
 * Dot-stuffs a message that arrives in chunks of any size. Throws MessageFormatError for a bare CR or LF, a NUL, or more bytes than
 * announced: a server that reads line ends differently, or drops NULs, could read the rest as commands (SMTP smuggling).
 */
export class DotStuffer {
  readonly #size: number;
  #seen = 0;
  #atLineStart = true;
  #afterCr = false;

  /** Expects a message of `size` bytes, counted before stuffing. */
  constructor(size: number) {
    this.#size = size;
  }

  /** Copies `chunk` into `out` from `at`, stuffed, and returns the end offset. `out` must have room for twice the chunk. */
  stuff(chunk: Uint8Array, out: Uint8Array, at: number): number {
    this.#seen += chunk.length;
    if (this.#seen > this.#size)
      throw new MessageFormatError(`the message is longer than the announced ${this.#size} bytes`);
    let to = at;
    let from = 0;
    let atLineStart = this.#atLineStart;
    let afterCr = this.#afterCr;
    for (let i = 0; i < chunk.length; i++) {
      const byte = chunk[i] ?? NUL;
      if (byte > DOT && !afterCr) {
        atLineStart = false;
        continue;
      }
      if (byte === LF) {
        if (!afterCr) throw new MessageFormatError("the message contains a bare LF");
        afterCr = false;
        atLineStart = true;
        continue;
      }
      if (afterCr) throw new MessageFormatError("the message contains a bare CR");
      if (byte === NUL) throw new MessageFormatError("the message contains a NUL");
      if (byte === CR) {
        afterCr = true;
      } else if (atLineStart && byte === DOT) {
        to = copy(chunk, from, i, out, to);
        out[to++] = DOT;
        from = i;
      }
      atLineStart = false;
    }
    this.#atLineStart = atLineStart;
    this.#afterCr = afterCr;
    return copy(chunk, from, chunk.length, out, to);
  }

  /** Checks the end of the message, before the final dot. Throws MessageFormatError for a short or cut message. */
  finish(): void {
    if (this.#seen !== this.#size)
      throw new MessageFormatError(
        `the message has ${this.#seen} bytes, which is shorter than the announced ${this.#size}`,
      );
    if (!this.#atLineStart || this.#seen === 0) throw new MessageFormatError("the message does not end in CRLF");
  }
}

function copy(source: Uint8Array, from: number, end: number, target: Uint8Array, at: number): number {
  if (end > from) target.set(source.subarray(from, end), at);
  return at + end - from;
}
