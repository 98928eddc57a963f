const encoder = new TextEncoder();

export const MEBIBYTE = 1024 * 1024;

/** Returns a limit as people read it, such as `24 MiB`. */
export const inMiB = (bytes: number) => `${bytes / MEBIBYTE} MiB`;

/** Encodes bytes in base64 (RFC 4648 4). */
export const toBase64 = (bytes: Uint8Array): string => bufferOf(bytes).toString("base64");

/** Decodes base64 that this service encoded. Throws InvalidCharacterError for other text. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
}

/**
 * Decodes base64 as the API accepts it, strictly by RFC 4648 section 4: standard alphabet, padding required, no white space or
 * line breaks (3.3), unused bits zero (3.5), so that one content has one encoding. The URL-safe alphabet and `data:` prefixes
 * are refused. Empty text is empty content. Returns null for other text.
 */
export function decodeBase64(text: string): Uint8Array | null {
  const bytes = Buffer.from(text, "base64");
  return bytes.toString("base64") === text ? new Uint8Array(bytes) : null;
}

/** Encodes a string in UTF-8. */
export const utf8 = (text: string): Uint8Array<ArrayBuffer> => encoder.encode(text) as Uint8Array<ArrayBuffer>;

/** Encodes a string in UTF-8 into `target`, which must be large enough. Returns the number of bytes. */
export const utf8Into = (text: string, target: Uint8Array): number => encoder.encodeInto(text, target).written;

/** Concatenates byte arrays. */
export function concat(pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.byteLength, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.byteLength;
  }
  return whole;
}

/** Returns a longer copy of a buffer: with room for `needed` bytes, twice as long if that is more, and at most `maxBytes`. */
export function enlarged(buffer: Uint8Array, needed: number, maxBytes: number): Uint8Array<ArrayBuffer> {
  const larger = new Uint8Array(Math.min(maxBytes, Math.max(needed, 2 * buffer.length)));
  larger.set(buffer);
  return larger;
}

/** Returns the length of a string in UTF-8 bytes. */
export const utf8Length = (text: string): number => encoder.encode(text).byteLength;

/** Returns bytes as a binary string: a text of one character for each, as in `btoa`. */
export const toBinaryString = (bytes: Uint8Array): string => bufferOf(bytes).toString("latin1");

/** Returns the bytes of a binary string. The string must not contain characters above 255. */
export const binaryStringToBytes = (binaryString: string): Uint8Array =>
  new Uint8Array(Buffer.from(binaryString, "latin1"));

/** Encodes bytes as base64url without padding (RFC 4648 5). */
export const toBase64Url = (bytes: Uint8Array): string => bufferOf(bytes).toString("base64url");

const bufferOf = ({ buffer, byteOffset, byteLength }: Uint8Array) => Buffer.from(buffer, byteOffset, byteLength);

/** Decodes base64url without padding. Returns null when the text is not base64url. */
export function fromBase64Url(text: string): Uint8Array<ArrayBuffer> | null {
  if (!/^[A-Za-z0-9_-]*$/.test(text) || text.length % 4 === 1) return null;
  return fromBase64(text.replaceAll("-", "+").replaceAll("_", "/"));
}
