import { concat, enlarged, toBinaryString } from "../bytes.ts";
import { beginsWithFrom, unquote } from "./quote.ts";

/** A message of an mbox file. */
export interface MboxMessage {
  /** The message, valid until the next one is read. Null when it is larger than the limit. */
  raw: Uint8Array | null;
  /** Offset after it: that of the next separator, or the size of the file. */
  end: number;
}

const [LF, CR] = [0x0a, 0x0d];
const FROM_SIZE = 5;
/** Bytes of a line that tell whether it is a separator. */
const MAX_SEPARATOR = 1_000;
/**
 * The line before each message: `From `, the address of its sender or a word in its place, and the time of delivery, as in
 * `From ann@example.org Sat Nov 21 14:12:48 2026`. Some programs write the zone before the year.
 */
const SEPARATOR =
  /^From (?:"[^"]*")?\S+\s+(?:mon|tue|wed|thu|fri|sat|sun)\s+[a-z]{3}\s+\d{1,2}\s+\d{1,2}:\d\d(?::\d\d)?(?:\s+[+:\w-]{1,6}){0,2}\s+\d{4}\b/i;
const BOM = Uint8Array.of(0xef, 0xbb, 0xbf);
const FIRST_BYTES = 65_536;

/**
 * Reads the messages of an mbox file (RFC 4155) one after the other and undoes the quoting of mboxrd. A line that begins with `From `
 * separates messages at the beginning of the file, and after an empty line when an address and a date follow; else it is text. Holds one
 * message in memory, of at most `maxBytes`; the rest of a larger one is skipped. What precedes the first separator is ignored.
 */
export async function* readMbox(stream: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<MboxMessage> {
  const reader = new MboxReader(maxBytes);
  let rest: Uint8Array = new Uint8Array();
  let offset = 0;
  for await (const chunk of stream) {
    const bytes = rest.length > 0 ? concat([rest, chunk]) : chunk;
    const used = yield* reader.read(bytes, offset, false);
    rest = bytes.slice(used);
    offset += used;
  }
  yield* reader.read(rest, offset, true);
  yield* reader.end(offset + rest.length);
}

class MboxReader {
  readonly #maxBytes: number;
  #buffer = new Uint8Array(FIRST_BYTES);
  #size = 0;
  /** False before the first separator. */
  #isInMessage = false;
  #isInSeparator = false;
  #isLineStart = true;
  #wasEmpty = true;
  /** Bytes and first byte of the line that is being read. */
  #line = { size: 0, first: 0 };

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Reads bytes from `offset` on and returns how many: those of a line whose kind is not known yet are left when more will come. */
  *read(bytes: Uint8Array, offset: number, isLast: boolean): Generator<MboxMessage, number> {
    let from = 0;
    const isMarked = offset === 0 && BOM.every((byte, index) => bytes[index] === byte);
    for (let at = isMarked ? BOM.length : 0; at < bytes.length; ) {
      if (this.#isLineStart && this.#wasEmpty && !this.#isInSeparator) {
        if (!isLast && !isKnown(bytes, at)) {
          this.#addToMessage(bytes.subarray(from, at));
          return at;
        }
        if (this.#isSeparator(bytes, at)) {
          this.#addToMessage(bytes.subarray(from, at));
          yield* this.end(offset + at);
          [this.#isInMessage, this.#isInSeparator] = [true, true];
        }
      }
      const end = this.#readLine(bytes, at);
      if (this.#isInSeparator) {
        this.#isInSeparator = !this.#isLineStart;
        this.#wasEmpty = false;
        from = end;
      }
      at = end;
    }
    this.#addToMessage(bytes.subarray(from));
    return bytes.length;
  }

  /** Reads to the end of a line, or of the bytes, and returns it. */
  #readLine(bytes: Uint8Array, at: number): number {
    let end = at;
    // Faster than indexOf for short lines.
    while (end < bytes.length && bytes[end] !== LF) end += 1;
    const isEnd = end < bytes.length;
    if (isEnd) end += 1;
    const line = this.#line;
    if (this.#isLineStart) [line.size, line.first] = [0, bytes[at] ?? 0];
    line.size += end - at;
    if (isEnd) this.#wasEmpty = line.size === 1 || (line.size === 2 && line.first === CR);
    this.#isLineStart = isEnd;
    return end;
  }

  /** Any line that begins with `From ` begins the first message. */
  #isSeparator(bytes: Uint8Array, at: number): boolean {
    if (!beginsWithFrom(bytes, at)) return false;
    return !this.#isInMessage || SEPARATOR.test(toBinaryString(bytes.subarray(at, at + MAX_SEPARATOR)));
  }

  #addToMessage(bytes: Uint8Array): void {
    if (!this.#isInMessage) return;
    const size = this.#size + bytes.length;
    if (size <= this.#maxBytes) {
      if (size > this.#buffer.length) this.#buffer = enlarged(this.#buffer, size, this.#maxBytes);
      this.#buffer.set(bytes, this.#size);
    }
    this.#size = size;
  }

  /** Ends the message that is being read at an offset. The empty line after it belongs to the file. */
  *end(at: number): Generator<MboxMessage> {
    const [isInMessage, size] = [this.#isInMessage, this.#size];
    [this.#isInMessage, this.#size] = [false, 0];
    if (!isInMessage) return;
    const raw = size > this.#maxBytes ? null : unquote(withoutEmptyLine(this.#buffer.subarray(0, size)));
    yield { raw, end: at };
  }
}

/** Returns whether enough of a line is there to tell whether it is a separator. */
function isKnown(bytes: Uint8Array, at: number): boolean {
  const size = bytes.length - at;
  if (size >= MAX_SEPARATOR || (size >= FROM_SIZE && !beginsWithFrom(bytes, at))) return true;
  return bytes.indexOf(LF, at) >= 0;
}

function withoutEmptyLine(bytes: Uint8Array): Uint8Array {
  const end = bytes.length;
  if (bytes[end - 1] !== LF) return bytes;
  const cut = bytes[end - 2] === CR ? end - 2 : end - 1;
  return cut === 0 || bytes[cut - 1] === LF ? bytes.subarray(0, cut) : bytes;
}
