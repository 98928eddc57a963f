const ALPHABET = "abcdefghijklmnopqrstuvwxyz234567";

/** Base32 (RFC 4648 6) in lower case, without padding. Takes a multiple of five octets, so that no bit is left over. */
export function toBase32(octets: Uint8Array): string {
  let text = "";
  let bits = 0;
  let held = 0;
  for (const octet of octets) {
    held = ((held << 8) | octet) & 0xfff;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += ALPHABET.charAt((held >> bits) & 31);
    }
  }
  return text;
}

/** Octets of such a text, in letters of either case. Null when a character is not of the alphabet. */
export function fromBase32(text: string): Uint8Array<ArrayBuffer> | null {
  const octets = new Uint8Array((text.length * 5) >> 3);
  let to = 0;
  let bits = 0;
  let held = 0;
  // Not toLowerCase(): it would take the Kelvin sign for a k.
  for (const char of text) {
    const value = ALPHABET.indexOf(/[A-Z]/.test(char) ? char.toLowerCase() : char);
    if (value < 0) return null;
    held = ((held << 5) | value) & 0xfff;
    bits += 5;
    if (bits >= 8) {
      bits -= 8;
      octets[to++] = (held >> bits) & 0xff;
    }
  }
  return octets;
}
