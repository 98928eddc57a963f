let lastMs = 0;
let sequence = 0;

/**
 * Returns a new UUIDv7 (RFC 9562 5.7) in lower case: 48 bits of `now` (milliseconds since 1970), a 12-bit sequence
 * that orders the ids of one isolate and millisecond, and 62 random bits.
 */
export function uuidv7(now: number): string {
  if (now > lastMs) {
    lastMs = now;
    sequence = crypto.getRandomValues(new Uint8Array(1))[0] ?? 0;
  } else {
    sequence += 1;
    if (sequence > 0xfff) {
      lastMs += 1;
      sequence = 0;
    }
  }
  const random = crypto.getRandomValues(new Uint8Array(8));
  random[0] = ((random[0] ?? 0) & 0x3f) | 0x80;
  const tail = hex(random);
  const head = lastMs.toString(16).padStart(12, "0");
  return `${head.slice(0, 8)}-${head.slice(8)}-7${sequence.toString(16).padStart(3, "0")}-${tail.slice(0, 4)}-${tail.slice(4)}`;
}

/** Encodes bytes in lower-case hexadecimal. */
export function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Returns whether a string is a UUID in lower case. */
export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/.test(text);
}

/** Returns a UUID of a request in lower case, as it is stored, or null when the text is not a UUID. */
export function parseUuid(text: string): string | null {
  const id = text.toLowerCase();
  return isUuid(id) ? id : null;
}

/** Returns a UUIDv8 made of the SHA-256 of the bytes (RFC 9562 5.8), so that equal bytes have equal ids. */
export async function uuidFromHash(octets: Uint8Array<ArrayBuffer>): Promise<string> {
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", octets)).subarray(0, 16);
  hash[6] = ((hash[6] ?? 0) & 0x0f) | 0x80;
  hash[8] = ((hash[8] ?? 0) & 0x3f) | 0x80;
  const text = hex(hash);
  return [text.slice(0, 8), text.slice(8, 12), text.slice(12, 16), text.slice(16, 20), text.slice(20)].join("-");
}
