import { createHash, type Hash } from "node:crypto";

const [TAB, LF, CR, SPACE] = [0x09, 0x0a, 0x0d, 0x20];
/** Bytes that are searched for white space at a time. */
const SLICE = 64 * 1024;
/** Takes a slice in relaxed form, a CR and a space: line ends from before the slice go to the hash directly. Free after each call. */
const scratch = new Uint8Array(SLICE + 2);
/** 8,192 times CRLF. */
const LINE_ENDS = Uint8Array.from({ length: 16_384 }, (_, i) => (i % 2 === 0 ? CR : LF));

/** Returns a header field in relaxed form without CRLF (RFC 6376 3.4.2). `raw` is a binary string. */
export function relaxedHeader(raw: string): string {
  const colon = raw.indexOf(":");
  const name = raw
    .slice(0, colon)
    .replace(/[ \t]+$/, "")
    .toLowerCase();
  // trim() would also remove byte 160, which is not white space here.
  const value = raw
    .slice(colon + 1)
    .replaceAll("\r\n", "")
    // A single space stays as it is: nearly all are, and a replacement builds the string again.
    .replace(/\t[ \t]*| [ \t]+/g, " ")
    .replace(/^ | $/g, "");
  return `${name}:${value}`;
}

/**
 * Computes the SHA-256 of a body in relaxed form (RFC 6376 3.4.4). The body can be split anywhere. White space and line
 * ends stay pending until other content follows, because relaxed form drops them at the end of a line and of the body.
 */
export class BodyHash {
  readonly #hash: Hash = createHash("sha256");
  #pendingLineEnds = 0;
  #pendingSpace = false;
  #pendingCr = false;
  #isEmpty = true;

  /** Adds the next bytes of the body. */
  update(chunk: Uint8Array): void {
    for (let at = 0; at < chunk.length; at += SLICE) {
      const slice = chunk.subarray(at, at + SLICE);
      // Base64, most of a large message, has no white space, so all but its ends is in relaxed form already.
      if (slice.indexOf(SPACE) < 0 && slice.indexOf(TAB) < 0) this.#updateWithoutWhitespace(slice);
      else this.#updateText(slice);
    }
  }

  /** Returns the hash. Call it once, last. An unfinished last line gets CRLF; an empty body stays empty. */
  digest(): Uint8Array {
    if (this.#pendingCr) this.#updateText(Uint8Array.of(CR));
    if (!this.#isEmpty) this.#hash.update(Uint8Array.of(CR, LF));
    return this.#hash.digest();
  }

  #updateWithoutWhitespace(slice: Uint8Array): void {
    // The first byte that is not a line end writes what is pending. Line ends at the end of the slice become pending.
    let start = 0;
    while (start < slice.length && isLineEnd(slice[start])) start++;
    let end = slice.length;
    while (end > start && isLineEnd(slice[end - 1])) end--;
    if (start < end) start++;
    this.#updateText(slice.subarray(0, start));
    if (start < end) this.#hash.update(slice.subarray(start, end));
    this.#updateText(slice.subarray(end));
  }

  #updateText(slice: Uint8Array): void {
    const out = scratch;
    let to = 0;
    for (let i = 0; i < slice.length; i++) {
      const byte = slice[i] ?? 0;
      if (this.#pendingCr) {
        this.#pendingCr = false;
        if (byte === LF) {
          this.#pendingSpace = false;
          this.#pendingLineEnds++;
          continue;
        }
        to = this.#writePending(out, to);
        out[to++] = CR;
      }
      if (byte === CR) {
        this.#pendingCr = true;
      } else if (byte === SPACE || byte === TAB) {
        this.#pendingSpace = true;
      } else {
        if (this.#pendingSpace || this.#pendingLineEnds > 0) to = this.#writePending(out, to);
        out[to++] = byte;
        // Most bytes follow each other with nothing pending.
        for (let next = slice[i + 1] ?? 0; next > SPACE; next = slice[i + 1] ?? 0) {
          out[to++] = next;
          i++;
        }
      }
    }
    if (to === 0) return;
    this.#isEmpty = false;
    this.#hash.update(out.subarray(0, to));
  }

  /** Writes the pending line ends, then one space for the pending white space. Returns the new position. */
  #writePending(out: Uint8Array, at: number): number {
    let to = at;
    if (to === 0) {
      this.#hashLineEnds();
    } else {
      for (; this.#pendingLineEnds > 0; this.#pendingLineEnds--) {
        out[to++] = CR;
        out[to++] = LF;
      }
    }
    if (this.#pendingSpace) out[to++] = SPACE;
    this.#pendingSpace = false;
    return to;
  }

  /** Hashes the pending line ends in blocks of fixed size: a body can have millions of them in a row. */
  #hashLineEnds(): void {
    for (; this.#pendingLineEnds > 0; this.#pendingLineEnds -= Math.min(this.#pendingLineEnds, LINE_ENDS.length / 2)) {
      this.#hash.update(LINE_ENDS.subarray(0, this.#pendingLineEnds * 2));
    }
  }
}

const isLineEnd = (byte: number | undefined): boolean => byte === CR || byte === LF;
