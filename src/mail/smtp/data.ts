/** What goes between 354 and the final dot (RFC 5321 4.5.2): dot-stuffing, and proof that only CRLF ends a line. No I/O. */

/** The message must not go out as it is; the text says why. */
export class MessageFormatError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "MessageFormatError";
  }
}

const NUL = 0x00;
const CR = 0x0d;
const LF = 0x0a;
const DOT = 0x2e;

/**
 * Stuffs a message that comes in chunks cut anywhere. A bare CR or LF, a NUL, or an octet more than
 * announced throws MessageFormatError: whoever reads lines differently from us, or drops NULs, could take what follows
 * for commands (SMTP smuggling).
 */
export class DotStuffer {
  readonly #size: number;
  #seen = 0;
  #atLineStart = true;
  #afterCr = false;

  /** `size`: the octets announced, before stuffing. */
  constructor(size: number) {
    this.#size = size;
  }

  /** Copies `chunk` into `out` from `at`, stuffed; returns where it ended. `out` needs room for twice the chunk. */
  stuff(chunk: Uint8Array, out: Uint8Array, at: number): number {
    this.#seen += chunk.length;
    if (this.#seen > this.#size) throw new MessageFormatError("the message is longer than announced");
    let to = at;
    let from = 0;
    let atLineStart = this.#atLineStart;
    let afterCr = this.#afterCr;
    for (let i = 0; i < chunk.length; i++) {
      const octet = chunk[i] ?? NUL;
      if (octet > DOT && !afterCr) {
        atLineStart = false;
        continue;
      }
      if (octet === LF) {
        if (!afterCr) throw new MessageFormatError("the message holds a bare LF");
        afterCr = false;
        atLineStart = true;
        continue;
      }
      if (afterCr) throw new MessageFormatError("the message holds a bare CR");
      if (octet === NUL) throw new MessageFormatError("the message holds a NUL");
      if (octet === CR) {
        afterCr = true;
      } else if (atLineStart && octet === DOT) {
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

  /** To be called before the final dot. Throws MessageFormatError when the message is cut short or ends inside a line. */
  finish(): void {
    if (this.#seen !== this.#size) throw new MessageFormatError("the message is shorter than announced");
    if (!this.#atLineStart || this.#seen === 0) throw new MessageFormatError("the message does not end in CRLF");
  }
}

function copy(source: Uint8Array, from: number, end: number, target: Uint8Array, at: number): number {
  if (end > from) target.set(source.subarray(from, end), at);
  return at + end - from;
}
