const HEX = Uint8Array.from("0123456789ABCDEF", (c) => c.charCodeAt(0));
/** Characters on a line before a soft line break's `=` (RFC 2045 6.7 (5)). */
const LINE_LIMIT = 75;
const [TAB, LF, CR, SPACE, EQUALS] = [0x09, 0x0a, 0x0d, 0x20, 0x3d];

/**
 * Counts the octets that are written as three characters wherever lines are broken: those that are not printable
 * ASCII, `=`, white space before a line end, and the F of `From ` at the start of a line. Line ends must be CRLF.
 */
export function countEscapes(octets: Uint8Array): number {
  let count = 0;
  for (let i = 0; i < octets.length; i++) {
    const octet = octets[i] ?? 0;
    if (octet === CR && octets[i + 1] === LF) i++;
    else if (!isLiteral(octets, i, octet) || (isFromLine(octets, i) && (i === 0 || octets[i - 1] === LF))) count++;
  }
  return count;
}

/**
 * Encodes text with CRLF line ends as quoted-printable (RFC 2045 6.7). `escapes` is the result of countEscapes. It also
 * escapes the F of a line that begins with `From `, because some systems change such lines (RFC 2049 3).
 */
export function encodeQuotedPrintable(octets: Uint8Array, escapes: number): Uint8Array {
  // Upper bound of the result: a soft line break adds three octets and occurs after at least 73. `From ` behind it adds
  // two more.
  const most = octets.length + escapes * 2;
  const out = new Uint8Array(most + Math.ceil(most / 71) * 5);
  let to = 0;
  let column = 0;
  for (let i = 0; i < octets.length; i++) {
    const octet = octets[i] ?? 0;
    if (octet === CR && octets[i + 1] === LF) {
      out[to++] = CR;
      out[to++] = LF;
      column = 0;
      i++;
      continue;
    }
    const width = isLiteral(octets, i, octet) && !(column === 0 && isFromLine(octets, i)) ? 1 : 3;
    if (column + width > LINE_LIMIT && !(column + width === LINE_LIMIT + 1 && endsLine(octets, i + 1))) {
      out[to++] = EQUALS;
      out[to++] = CR;
      out[to++] = LF;
      // Encodes the same octet again: at the start of a line its encoding can differ.
      column = 0;
      i--;
      continue;
    }
    if (width === 1) {
      out[to++] = octet;
    } else {
      out[to++] = EQUALS;
      out[to++] = HEX[octet >> 4] ?? 0;
      out[to++] = HEX[octet & 15] ?? 0;
    }
    column += width;
  }
  return out.subarray(0, to);
}

function isLiteral(octets: Uint8Array, i: number, octet: number): boolean {
  if (octet === SPACE || octet === TAB) return !endsLine(octets, i + 1);
  return octet > SPACE && octet < 127 && octet !== EQUALS;
}

function endsLine(octets: Uint8Array, i: number): boolean {
  return i >= octets.length || (octets[i] === CR && octets[i + 1] === LF);
}

function isFromLine(o: Uint8Array, i: number): boolean {
  return o[i] === 0x46 && o[i + 1] === 0x72 && o[i + 2] === 0x6f && o[i + 3] === 0x6d && o[i + 4] === SPACE;
}
