import { createHash, type Hash } from "node:crypto";

const [TAB, LF, CR, SPACE] = [0x09, 0x0a, 0x0d, 0x20];
/** Octets looked at in one go. */
const SLICE = 64 * 1024;

/** A header field, an octet string with or without its final CRLF, in relaxed form without CRLF (RFC 6376 3.4.2). */
export function relaxedHeader(raw: string): string {
  const colon = raw.indexOf(":");
  const name = raw
    .slice(0, colon)
    .replace(/[ \t]+$/, "")
    .toLowerCase();
  // Not trim(): it would take octet 160 for a space.
  const value = raw
    .slice(colon + 1)
    .replaceAll("\r\n", "")
    .replace(/[ \t]+/g, " ")
    .replace(/^ | $/g, "");
  return `${name}:${value}`;
}

/**
 * SHA-256 of a body in relaxed form (RFC 6376 3.4.4), fed in chunks cut anywhere. White space at the end of a line
 * and empty lines at the end of the body are held back until something follows them.
 */
export class BodyHash {
  readonly #hash: Hash = createHash("sha256");
  #lineEnds = 0;
  #space = false;
  #carriage = false;
  #empty = true;

  /** Takes the next octets of the body. */
  update(chunk: Uint8Array): void {
    for (let at = 0; at < chunk.length; at += SLICE) {
      const slice = chunk.subarray(at, at + SLICE);
      // Base64, the bulk of a large mail, has no white space: all but its ends is in relaxed form already.
      if (slice.indexOf(SPACE) < 0 && slice.indexOf(TAB) < 0) this.#updateDense(slice);
      else this.#updateText(slice);
    }
  }

  /** The hash; nothing may be fed afterwards. A last line without an end gets one; a body of nothing stays nothing. */
  digest(): Uint8Array {
    if (this.#carriage) this.#updateText(Uint8Array.of(CR));
    if (!this.#empty) this.#hash.update(Uint8Array.of(CR, LF));
    return this.#hash.digest();
  }

  #updateDense(slice: Uint8Array): void {
    // What was held back is settled by the first octet that is no line end, what must be held back stands at the end.
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
    const out = new Uint8Array(slice.length + this.#lineEnds * 2 + 2);
    let to = 0;
    for (let i = 0; i < slice.length; i++) {
      const octet = slice[i] ?? 0;
      if (this.#carriage) {
        this.#carriage = false;
        if (octet === LF) {
          this.#space = false;
          this.#lineEnds++;
          continue;
        }
        to = this.#settle(out, to);
        out[to++] = CR;
      }
      if (octet === CR) {
        this.#carriage = true;
      } else if (octet === SPACE || octet === TAB) {
        this.#space = true;
      } else {
        if (this.#space || this.#lineEnds > 0) to = this.#settle(out, to);
        out[to++] = octet;
      }
    }
    if (to === 0) return;
    this.#empty = false;
    this.#hash.update(out.subarray(0, to));
  }

  /** Writes what was held back: line ends, then one space for the white space before the next octet. */
  #settle(out: Uint8Array, at: number): number {
    let to = at;
    for (; this.#lineEnds > 0; this.#lineEnds--) {
      out[to++] = CR;
      out[to++] = LF;
    }
    if (this.#space) out[to++] = SPACE;
    this.#space = false;
    return to;
  }
}

function isLineEnd(octet: number | undefined): boolean {
  return octet === CR || octet === LF;
}
