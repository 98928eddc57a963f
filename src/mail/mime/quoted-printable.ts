const HEX = Uint8Array.from("0123456789ABCDEF", (c) => c.charCodeAt(0));
/** Characters on a line before a soft line break's `=` (RFC 2045 6.7 (5)). */
const LINE_LIMIT = 75;
const [TAB, LF, CR, SPACE, EQUALS] = [0x09, 0x0a, 0x0d, 0x20, 0x3d];

/**
 * Counts the bytes that are written as three characters wherever lines are broken: those that are not printable
 * ASCII, `=`, white space before a line end, and the F of `From ` at the start of a line. Line ends must be CRLF.
 */
export function countEscapes(bytes: Uint8Array): number {
  let count = 0;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i] ?? 0;
    if (byte === CR && bytes[i + 1] === LF) i++;
    else if (!isLiteral(bytes, i, byte) || (isFromLine(bytes, i) && (i === 0 || bytes[i - 1] === LF))) count++;
  }
  return count;
}

/**
 * Encodes text with CRLF line ends as quoted-printable (RFC 2045 6.7). `escapes` is the result of countEscapes. It also
 * escapes the F of a line that begins with `From `, because some systems change such lines (RFC 2049 3).
 */
export function encodeQuotedPrintable(bytes: Uint8Array, escapes: number): Uint8Array {
  // Upper bound of the result: a soft line break adds three bytes and occurs after at least 73. `From ` behind it adds two more.
  const most = bytes.length + escapes * 2;
  const out = new Uint8Array(most + Math.ceil(most / 71) * 5);
  let to = 0;
  let column = 0;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i] ?? 0;
    if (byte === CR && bytes[i + 1] === LF) {
      out[to++] = CR;
      out[to++] = LF;
      column = 0;
      i++;
      continue;
    }
    const width = isLiteral(bytes, i, byte) && !(column === 0 && isFromLine(bytes, i)) ? 1 : 3;
    if (column + width > LINE_LIMIT && !(column + width === LINE_LIMIT + 1 && endsLine(bytes, i + 1))) {
      out[to++] = EQUALS;
      out[to++] = CR;
      out[to++] = LF;
      // Encodes the same byte again: at the start of a line its encoding can differ.
      column = 0;
      i--;
      continue;
    }
    if (width === 1) {
      out[to++] = byte;
    } else {
      out[to++] = EQUALS;
      out[to++] = HEX[byte >> 4] ?? 0;
      out[to++] = HEX[byte & 15] ?? 0;
    }
    column += width;
  }
  return out.subarray(0, to);
}

function isLiteral(bytes: Uint8Array, i: number, byte: number): boolean {
  if (byte === SPACE || byte === TAB) return !endsLine(bytes, i + 1);
  return byte > SPACE && byte < 127 && byte !== EQUALS;
}

function endsLine(bytes: Uint8Array, i: number): boolean {
  return i >= bytes.length || (bytes[i] === CR && bytes[i + 1] === LF);
}

function isFromLine(o: Uint8Array, i: number): boolean {
  return o[i] === 0x46 && o[i + 1] === 0x72 && o[i + 2] === 0x6f && o[i + 3] === 0x6d && o[i + 4] === SPACE;
}
