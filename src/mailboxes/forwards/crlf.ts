const [CR, LF] = [0x0d, 0x0a];
const LINE_END = Uint8Array.of(CR, LF);

/**
 * Yields a message with CRLF for each line end, which SMTP requires (RFC 5321 2.3.8), and with a line end at its end. Chunks that have no
 * other line end are passed on as they are, and are valid until the next one is read.
 */
export async function* withCrLf(chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  /** True when the bytes so far end in a CR, for which a CRLF was written, and when they end in a line end. */
  let [wasCr, isLineStart] = [false, false];
  for await (const chunk of chunks) {
    const rest = wasCr && chunk[0] === LF ? chunk.subarray(1) : chunk;
    if (chunk.length > 0) wasCr = rest.at(-1) === CR;
    if (rest.length === 0) continue;
    const whole = wasCr ? rest.subarray(0, -1) : rest;
    const lines = hasOnlyCrLf(whole) ? whole : convert(whole);
    if (lines.length > 0) yield lines;
    isLineStart = wasCr || lines.at(-1) === LF;
    if (wasCr) yield LINE_END;
  }
  if (!isLineStart) yield LINE_END;
}

/** Returns whether all line ends of bytes that do not end in a CR are CRLF. */
function hasOnlyCrLf(bytes: Uint8Array): boolean {
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === LF) return false;
    if (byte === CR && bytes[++at] !== LF) return false;
  }
  return true;
}

function convert(bytes: Uint8Array): Uint8Array {
  const out = new Uint8Array(2 * bytes.length);
  let to = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] as number;
    if (byte === LF && bytes[at - 1] === CR) continue;
    if (byte === CR || byte === LF) {
      out[to++] = CR;
      out[to++] = LF;
    } else out[to++] = byte;
  }
  return out.subarray(0, to);
}
