const [LF, CR] = [0x0a, 0x0d];
const ASCII_MAX = 0x7f;

/** Returns whether the header of a message has bytes above 127, which needs SMTPUTF8 (RFC 6532). Pure. */
export function hasEightBitHeader(pieces: readonly Uint8Array[]): boolean {
  // An empty line ends the header: an LF after which only a CR came.
  let isLineEmpty = true;
  for (const piece of pieces) {
    for (const byte of piece) {
      if (byte > ASCII_MAX) return true;
      if (byte === LF && isLineEmpty) return false;
      if (byte !== CR) isLineEmpty = byte === LF;
    }
  }
  return false;
}
