import { concat } from "../bytes.ts";

const [LF, CR, GREATER] = [0x0a, 0x0d, 0x3e];
const FROM = Uint8Array.of(0x46, 0x72, 0x6f, 0x6d, 0x20);
const QUOTE = Uint8Array.of(GREATER);
const EMPTY_LINE = Uint8Array.of(CR, LF, CR, LF);

/** The quoter is within a line that does not begin with `From `. */
const INSIDE = -1;

/** Quotes a message for an mbox file by chunks: a line of any number of `>` and `From ` gets one `>` more (mboxrd), so it can be undone. */
export class MboxQuoter {
  /** Bytes of `From ` that the current line begins with, after any `>`. */
  #matched = 0;
  /** Those of them that earlier chunks had, which were not returned yet. */
  #held = 0;

  push(chunk: Uint8Array): Uint8Array {
    const pieces: Uint8Array[] = [];
    let returned = 0;
    for (let at = 0; at < chunk.length; ) {
      if (this.#matched === INSIDE) {
        const lf = chunk.indexOf(LF, at);
        if (lf < 0) break;
        at = lf + 1;
        this.#matched = 0;
      } else if (chunk[at] === FROM[this.#matched]) {
        at += 1;
        this.#matched += 1;
        if (this.#matched < FROM.length) continue;
        // One more `>` here does the same as one at the beginning of the line.
        const begin = Math.max(at - FROM.length, 0);
        pieces.push(chunk.subarray(returned, begin), QUOTE, FROM.subarray(0, this.#held));
        returned = begin;
        this.#held = 0;
        this.#matched = INSIDE;
      } else if (chunk[at] === GREATER && this.#matched === 0) at += 1;
      else {
        pieces.push(FROM.subarray(0, this.#held));
        this.#held = 0;
        this.#matched = INSIDE;
      }
    }
    const kept = Math.min(Math.max(this.#matched, 0), chunk.length);
    pieces.push(chunk.subarray(returned, chunk.length - kept));
    this.#held = Math.max(this.#matched, 0);
    return concat(pieces);
  }

  /** Returns what is left, and the empty line that ends a message. */
  end(): Uint8Array {
    return concat([FROM.subarray(0, this.#held), EMPTY_LINE]);
  }
}

/** Undoes the quoting of a whole message, in place. Returns the part of the buffer that the message then takes. */
export function unquote(bytes: Uint8Array): Uint8Array {
  let to = 0;
  for (let line = 0; line < bytes.length; ) {
    let begin = line;
    while (bytes[begin] === GREATER) begin += 1;
    let end = begin;
    while (end < bytes.length && bytes[end] !== LF) end += 1;
    end = Math.min(end + 1, bytes.length);
    const from = begin > line && beginsWithFrom(bytes, begin) ? line + 1 : line;
    // A loop, because most lines are short.
    if (from === to) to = end;
    else for (let at = from; at < end; at++) bytes[to++] = bytes[at] as number;
    line = end;
  }
  return bytes.subarray(0, to);
}

/** Returns whether `From ` is at `at`. */
export function beginsWithFrom(bytes: Uint8Array, at: number): boolean {
  return bytes[at] === FROM[0] && FROM.every((byte, index) => bytes[at + index] === byte);
}
