import { toBinaryString } from "../../lib/bytes.ts";
import { lineEnd } from "../texts/fields.ts";
import type { MessageWindow } from "./window.ts";

const SHORT_LINE = 100;
const [LF, CR, DASH] = [0x0a, 0x0d, 0x2d];

/** The lines in a window of a message, by their places in the message. Its fields are copies, because they are read for each line. */
export class WindowLines {
  bytes: Uint8Array = new Uint8Array();
  start = 0;
  end = 0;
  limit = 0;
  /** The place of the last LF. */
  lastLf = -1;

  /** Takes over the window as it is now. */
  update({ bytes, start, end, limit }: MessageWindow): void {
    this.bytes = bytes;
    this.start = start;
    this.end = end;
    this.limit = limit;
    // A search for an LF after it would read to the end each time.
    this.lastLf = start + bytes.lastIndexOf(LF);
  }

  /** Returns the bytes between two places. */
  slice(from: number, to: number): Uint8Array {
    return this.bytes.subarray(from - this.start, to - this.start);
  }

  /** Returns the message up to a place, one character for each byte. Null beyond a bound and with a NUL. */
  textTo(end: number, maxBytes: number): string | null {
    if (end > maxBytes || this.start > 0) return null;
    const bytes = this.slice(0, end);
    return bytes.includes(0) ? null : toBinaryString(bytes);
  }

  /** Returns the end of what is before a boundary: the line break before it belongs to it. `from` is the least end. */
  beforeBreak(boundary: number, from: number): number {
    let end = Math.max(boundary, from);
    if (boundary >= this.end) return end;
    if (end > from && this.bytes[end - 1 - this.start] === LF) end -= 1;
    if (end > from && this.bytes[end - 1 - this.start] === CR) end -= 1;
    return end;
  }

  /** Returns whether a line begins with `--`. */
  hasDashes(at: number): boolean {
    const index = at - this.start;
    return this.bytes[index] === DASH && this.bytes[index + 1] === DASH;
  }

  /**
   * Returns the first line after the byte `from` that begins with `--`, when it is within a multipart, or that is empty, with `orEmpty`.
   * Returns -1 when the window has none. Bytes are faster than lines here.
   */
  search(from: number, isMultipart: boolean, orEmpty: boolean): number {
    const raw = this.bytes;
    const start = this.start;
    const to = this.limit - start;
    const lastLf = this.lastLf - start;
    for (let end = from - start; end < to; end++) {
      const byte = raw[end];
      if (byte !== LF && (byte !== CR || end <= lastLf)) continue;
      const next = raw[end + 1];
      if (next === DASH ? isMultipart && raw[end + 2] === DASH : orEmpty && this.isEmptyLine(end + 1))
        return start + end + 1;
    }
    return -1;
  }

  /** Returns whether the line that begins at an index of the window is empty. */
  isEmptyLine(index: number): boolean {
    const raw = this.bytes;
    if (raw[index] !== CR) return raw[index] === LF;
    return raw[index + 1] === LF || this.start + index > this.lastLf;
  }

  /** Returns the first byte after the line with `at`, at most the end of the window. LF ends a line, and CR where no LF follows in it. */
  endOfLine(at: number): number {
    const raw = this.bytes;
    const start = this.start;
    if (at > this.lastLf) return start + Math.min(lineEnd(raw, at - start, raw.length) + 1, raw.length);
    // A call to indexOf takes longer than a short line.
    const near = Math.min(at - start + SHORT_LINE, raw.length);
    for (let end = at - start; end < near; end++) if (raw[end] === LF) return start + end + 1;
    return start + raw.indexOf(LF, near) + 1;
  }
}
