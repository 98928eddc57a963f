import { concat } from "../../lib/bytes.ts";
import { BodyHash } from "../../mail/dkim/canonicalization.ts";

/** Bytes of a header that is read and sealed. */
const MAX_HEAD = 262_144;
const [CR, LF] = [0x0d, 0x0a];
const HEAD_END = [CR, LF, CR, LF];

/** The facts about an email that forwarding needs. */
export interface Original {
  /** Its bytes. */
  size: number;
  /** The fields of its header; null when they are larger than 256 KiB. */
  head: Uint8Array | null;
  /** SHA-256 of the body in relaxed form (RFC 6376 3.4.4). */
  bodyHash: Uint8Array;
  /** True when the header, and the body, have bytes above 127. */
  isEightBitHead: boolean;
  isEightBitBody: boolean;
}

/** Reads an email whose line ends are CRLF once, and holds its header only. */
export async function readOriginal(chunks: AsyncIterable<Uint8Array>): Promise<Original> {
  const hash = new BodyHash();
  const head = new HeadReader();
  let [size, isEightBitBody] = [0, false];
  for await (const chunk of chunks) {
    size += chunk.length;
    const body = chunk.subarray(head.read(chunk));
    hash.update(body);
    isEightBitBody ||= isEightBit(body);
  }
  const { bytes, isEightBit: isEightBitHead } = head;
  return { size, head: bytes, bodyHash: hash.digest(), isEightBitHead, isEightBitBody };
}

class HeadReader {
  readonly #pieces: Uint8Array[] = [];
  #size = 0;
  /** Bytes of the end of the header that were found. */
  #matched = 0;
  isEightBit = false;

  get bytes(): Uint8Array | null {
    if (this.#size > MAX_HEAD) return null;
    const bytes = concat(this.#pieces);
    // The line end of the empty line is none of a field.
    return this.#matched === HEAD_END.length ? bytes.subarray(0, -2) : bytes;
  }

  /** Reads the bytes of the header and returns their number. */
  read(chunk: Uint8Array): number {
    let end = 0;
    while (end < chunk.length && this.#matched < HEAD_END.length) {
      const byte = chunk[end++];
      this.#matched = byte === HEAD_END[this.#matched] ? this.#matched + 1 : byte === CR ? 1 : 0;
    }
    if (end === 0) return 0;
    this.isEightBit ||= isEightBit(chunk.subarray(0, end));
    this.#size += end;
    if (this.#size <= MAX_HEAD) this.#pieces.push(chunk.slice(0, end));
    return end;
  }
}

function isEightBit(bytes: Uint8Array): boolean {
  for (let at = 0; at < bytes.length; at++) if ((bytes[at] as number) > 0x7f) return true;
  return false;
}
