let lastMs = 0;
/** `lastMs` as the start of an id. */
let head = "";
let sequence = 0;

/** The two hexadecimal digits of each byte. */
const DIGITS = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

/** Random bytes for the next ids: one call of the runtime for 128 ids takes a tenth of the time. */
const random = new Uint8Array(1024);
let randomUsed = random.length;

/**
 * Returns a new UUIDv7 (RFC 9562 5.7) in lower case: 48 bits of `now` (milliseconds since 1970), a 12-bit sequence
 * that orders the ids of one isolate and millisecond, and 62 random bits.
 */
export function uuidv7(now: number): string {
  if (now > lastMs) {
    setTime(now);
    sequence = crypto.getRandomValues(new Uint8Array(1))[0] ?? 0;
  } else {
    sequence += 1;
    if (sequence > 0xfff) {
      setTime(lastMs + 1);
      sequence = 0;
    }
  }
  const tail = hex(randomBytes());
  return `${head}-7${sequence.toString(16).padStart(3, "0")}-${tail.slice(0, 4)}-${tail.slice(4)}`;
}

function setTime(ms: number): void {
  lastMs = ms;
  head = headOf(ms);
}

/** Returns the start of a UUIDv7, up to its version. */
export function headOf(ms: number): string {
  const digits = ms.toString(16).padStart(12, "0");
  return `${digits.slice(0, 8)}-${digits.slice(8)}`;
}

/** Returns the last 64 bits of a UUID: its variant (RFC 9562 4.1) and 62 random bits. */
function randomBytes(): Uint8Array {
  if (randomUsed === random.length) {
    crypto.getRandomValues(random);
    randomUsed = 0;
  }
  const bytes = random.subarray(randomUsed, randomUsed + 8);
  randomUsed += 8;
  bytes[0] = ((bytes[0] ?? 0) & 0x3f) | 0x80;
  return bytes;
}

/** Encodes bytes in lower-case hexadecimal. */
export function hex(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += DIGITS[byte];
  return text;
}

/** Returns the time of a UUIDv7, in milliseconds since 1970 (RFC 9562 5.7). */
export const timeOfId = (id: string): number => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);

/** Returns whether a string is a UUID in lower case. */
export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/.test(text);
}

/** Returns a UUID of a request in lower case, as it is stored, or null when the text is not a UUID. */
export function parseUuid(text: string): string | null {
  const id = text.toLowerCase();
  return isUuid(id) ? id : null;
}

/** Returns an id that begins with a time, in ms since 1970, as a UUIDv7 does, and ends as another one. Pure. */
export const idOfTime = (ms: number, id: string): string => `${headOf(ms)}${id.slice(13)}`;

/** Returns a UUIDv8 made of the SHA-256 of the bytes (RFC 9562 5.8), so that equal bytes have equal ids. */
export async function uuidFromHash(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).subarray(0, 16);
  hash[6] = ((hash[6] ?? 0) & 0x0f) | 0x80;
  hash[8] = ((hash[8] ?? 0) & 0x3f) | 0x80;
  return uuidOf(hash);
}

/** Returns the UUID of 16 bytes. */
export const uuidOf = (bytes: Uint8Array): string => hex(bytes).replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");

/** Returns the bytes of hexadecimal digits, or of a UUID. */
export function bytesOfHex(text: string): Uint8Array<ArrayBuffer> {
  const digits = text.replaceAll("-", "");
  const bytes = new Uint8Array(digits.length / 2);
  for (let i = 0; i < bytes.length; i++) bytes[i] = Number.parseInt(digits.slice(2 * i, 2 * i + 2), 16);
  return bytes;
}

/** Returns the UID of a message in a path, or 0, which no message has. */
export const parseUid = (text: string): number => (/^[1-9]\d{0,9}$/.test(text) ? Number(text) : 0);
