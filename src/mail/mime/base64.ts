import { ComposeError } from "./errors.ts";

/** Input bytes of one line of 76 characters (RFC 2045 6.8). */
const LINE_BYTES = 57;
const BLOCK_BYTES = LINE_BYTES * 1024;
const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** The two characters of each 12-bit value, in the byte order of this machine. */
const PAIRS = new Uint16Array(
  Uint8Array.from({ length: 8192 }, (_, i) => ALPHABET.charCodeAt(i % 2 === 0 ? i >> 7 : (i >> 1) & 63)).buffer,
);
const CRLF_PAIR = new Uint16Array(Uint8Array.of(13, 10).buffer)[0] ?? 0;

/** Returns the base64 length of `size` bytes: lines of 76 characters, CRLF between lines and none after the last. */
export function base64Size(size: number): number {
  return size === 0 ? 0 : Math.ceil(size / 3) * 4 + (Math.ceil(size / LINE_BYTES) - 1) * 2;
}

/** Encodes one buffer as base64. The result has base64Size(bytes.length) bytes. */
export function encodeBase64(bytes: Uint8Array): Uint8Array {
  return encodeBlock(bytes, true, new Uint8Array(base64Size(bytes.length)));
}

/**
 * Encodes a source as base64, in blocks of at most 80 KB. It holds one block of input at a time. With `reuseBuffer`,
 * all blocks share one output buffer, so a block is valid only until the next one is requested. Throws ComposeError
 * `attachment_changed` when the source does not yield exactly `size` bytes.
 */
export async function* base64Blocks(
  source: AsyncIterable<Uint8Array>,
  size: number,
  reuseBuffer: boolean,
): AsyncGenerator<Uint8Array> {
  const block = new Uint8Array(Math.min(BLOCK_BYTES, size));
  const outSize = base64Size(block.length) + 2;
  const shared = reuseBuffer ? new Uint8Array(outSize) : null;
  let filled = 0;
  let received = 0;
  let first = true;
  for await (const chunk of source) {
    received += chunk.length;
    if (received > size) throw sizeMismatch();
    for (let at = 0; at < chunk.length; ) {
      const take = Math.min(block.length - filled, chunk.length - at);
      block.set(chunk.subarray(at, at + take), filled);
      at += take;
      filled += take;
      if (filled === block.length) {
        yield encodeBlock(block, first, shared ?? new Uint8Array(outSize));
        first = false;
        filled = 0;
      }
    }
  }
  if (received !== size) throw sizeMismatch();
  if (filled > 0) yield encodeBlock(block.subarray(0, filled), first, shared ?? new Uint8Array(outSize));
}

function sizeMismatch() {
  return new ComposeError("attachment_changed", "attachments", "the content does not have the declared size");
}

/** Encodes into the start of `out`. CRLF is written before each line but the first, so the last line has none after it. */
function encodeBlock(input: Uint8Array, first: boolean, out: Uint8Array): Uint8Array {
  const pairs = new Uint16Array(out.buffer);
  let to = 0;
  let at = 0;
  for (let line = 0; line < input.length; line += LINE_BYTES) {
    if (line > 0 || !first) pairs[to++] = CRLF_PAIR;
    const end = Math.min(line + LINE_BYTES, input.length);
    for (at = line; at + 2 < end; at += 3) {
      const bits = ((input[at] ?? 0) << 16) | ((input[at + 1] ?? 0) << 8) | (input[at + 2] ?? 0);
      pairs[to++] = PAIRS[bits >> 12] ?? 0;
      pairs[to++] = PAIRS[bits & 4095] ?? 0;
    }
  }
  if (at < input.length) writePadding(out, to * 2, input[at] ?? 0, input[at + 1]);
  return out.subarray(0, base64Size(input.length) + (first ? 0 : 2));
}

function writePadding(out: Uint8Array, to: number, one: number, two: number | undefined): void {
  const bits = (one << 16) | ((two ?? 0) << 8);
  out[to] = ALPHABET.charCodeAt(bits >> 18);
  out[to + 1] = ALPHABET.charCodeAt((bits >> 12) & 63);
  out[to + 2] = two === undefined ? 61 : ALPHABET.charCodeAt((bits >> 6) & 63);
  out[to + 3] = 61;
}
