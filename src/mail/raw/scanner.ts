import { concat, toBinaryString } from "../../lib/bytes.ts";
import { HEADER_LINE_BYTES } from "../../lib/header-rules.ts";
import { RawMessageError } from "./errors.ts";
import { PartList, type RawPart } from "./part-list.ts";

const [NUL, LF, CR] = [0x00, 0x0a, 0x0d];
/** Bytes of the header section of a message. It is held in memory. */
const MAX_HEAD = 256 * 1024;
/** Octets of a line with its CRLF (RFC 5321 4.5.3.1.6). One of the header may be longer if it can be folded. */
const MAX_LINE = HEADER_LINE_BYTES + 2;
const MAX_UNFOLDED_LINE = 32 * 1024;

/** A message that was read to its end. */
export interface ScannedMessage {
  /** The header section as a binary string, without the empty line after it. */
  head: string;
  /** Bytes of the body. */
  bodySize: number;
  /** True when the body has bytes above 127. */
  isEightBit: boolean;
  parts: RawPart[];
}

/**
 * Reads a message of any size in chunks (RFC 5322): checks its lines, collects its header section and finds its parts. Folds long lines of
 * its header. Throws RawMessageError for a bare CR or LF, a NUL, a line of more than 998 bytes, and a message that does not end in CRLF. A
 * line that two servers end differently could hide a second message (SMTP smuggling).
 */
export class MessageScanner {
  readonly #head: string[] = [];
  #headSize = 0;
  #parts: PartList | null = null;
  #bodySize = 0;
  #isEightBit = false;
  /** The start of a line whose end is in a later chunk. */
  #rest: Uint8Array = new Uint8Array(0);

  /** Reads the next bytes. Returns those of the body among them, as a view that is valid until the next call. */
  write(chunk: Uint8Array): Uint8Array {
    if (chunk.indexOf(NUL) >= 0) throw new RawMessageError("format", "the message contains a NUL");
    const joined = this.#rest.length > 0 ? concat([this.#rest, chunk]) : chunk;
    const bodyFrom = this.#parts ? 0 : -1;
    let body = bodyFrom;
    let from = 0;
    for (let end = joined.indexOf(LF); end >= 0; end = joined.indexOf(LF, from)) {
      const line = joined.subarray(from, end + 1);
      checkLine(line);
      from = end + 1;
      if (this.#parts) this.#addBodyLine(line);
      else if (this.#addHeadLine(line)) body = from;
    }
    this.#rest = joined.slice(from);
    if (this.#rest.length > (this.#parts ? MAX_LINE : MAX_UNFOLDED_LINE)) throw tooLong(this.#rest.length);
    return body < 0 ? new Uint8Array(0) : joined.subarray(body, from);
  }

  /** Returns what was read. */
  finish(): ScannedMessage {
    if (this.#rest.length > 0) throw new RawMessageError("format", "the message does not end in CRLF");
    const head = this.#head.join("");
    const parts = (this.#parts ?? new PartList(head)).finish(this.#bodySize);
    return { head, bodySize: this.#bodySize, isEightBit: this.#isEightBit, parts };
  }

  /** Adds a line of the header section. Returns true for the empty line that ends it. */
  #addHeadLine(line: Uint8Array): boolean {
    if (line.length === 2) {
      this.#parts = new PartList(this.#head.join(""));
      return true;
    }
    this.#headSize += line.length;
    if (this.#headSize > MAX_HEAD)
      throw new RawMessageError("size", `the header is longer than ${MAX_HEAD.toLocaleString("en")} bytes`);
    this.#head.push(line.length > MAX_LINE ? fold(toBinaryString(line)) : toBinaryString(line));
    return false;
  }

  #addBodyLine(line: Uint8Array): void {
    if (line.length > MAX_LINE) throw tooLong(line.length);
    this.#parts?.add(line, this.#bodySize);
    this.#bodySize += line.length;
    this.#isEightBit ||= hasHighByte(line);
  }
}

function hasHighByte(line: Uint8Array): boolean {
  for (let i = 0; i < line.length; i++) if ((line[i] ?? 0) > 127) return true;
  return false;
}

function checkLine(line: Uint8Array): void {
  if (line[line.length - 2] !== CR) throw new RawMessageError("format", "the message contains a bare LF");
  if (line.indexOf(CR) !== line.length - 2) throw new RawMessageError("format", "the message contains a bare CR");
}

/** Folds a header line between its words, as some programs leave References (RFC 5322 2.2.3). Throws RawMessageError for a long word. */
function fold(line: string): string {
  if (line.length > MAX_UNFOLDED_LINE) throw tooLong(line.length);
  let column = 0;
  const words = line.split(/(?=[ \t][^ \t\r])/).map((word) => {
    const isFolded = column > 0 && column + word.length > MAX_LINE - 2;
    column = isFolded ? word.length : column + word.length;
    if (column > MAX_LINE) throw tooLong(column);
    return isFolded ? `\r\n${word}` : word;
  });
  return words.join("");
}

const tooLong = (bytes: number) =>
  new RawMessageError(
    "format",
    `a line is ${(bytes - 2).toLocaleString("en")} bytes; the limit is ${HEADER_LINE_BYTES}`,
  );
