const ALPHABET = "abcdefghijklmnopqrstuvwxyz234567";

/** Encodes bytes as lower-case base32 without padding (RFC 4648 6). The length must be a multiple of five bytes. */
export function toBase32(bytes: Uint8Array): string {
  let text = "";
  let bits = 0;
  let buffer = 0;
  for (const byte of bytes) {
    buffer = ((buffer << 8) | byte) & 0xfff;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += ALPHABET.charAt((buffer >> bits) & 31);
    }
  }
  return text;
}

/** Decodes base32 in letters of either case. Returns null when a character is not in the alphabet. */
export function fromBase32(text: string): Uint8Array<ArrayBuffer> | null {
  const bytes = new Uint8Array((text.length * 5) >> 3);
  let to = 0;
  let bits = 0;
  let buffer = 0;
  // Only A to Z is lowered: toLowerCase() also maps the Kelvin sign (U+212A) to k.
  for (const char of text) {
    const value = ALPHABET.indexOf(/[A-Z]/.test(char) ? char.toLowerCase() : char);
    if (value < 0) return null;
    buffer = ((buffer << 5) | value) & 0xfff;
    bits += 5;
    if (bits >= 8) {
      bits -= 8;
      bytes[to++] = (buffer >> bits) & 0xff;
    }
  }
  return bytes;
}
