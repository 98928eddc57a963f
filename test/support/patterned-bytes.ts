/** Bytes for large attachments, and their texts. Node's Buffer does in milliseconds what loops over characters do in seconds. */
import { Buffer } from "node:buffer";

/** Returns bytes that differ by position and seed, so that a wrong order is noticed. */
export function patternedBytes(size: number, seed = 0): Uint8Array<ArrayBuffer> {
  const words = new Uint32Array(Math.ceil(size / 4));
  for (let i = 0; i < words.length; i++) words[i] = Math.imul(i + seed, 2654435761) ^ (i >>> 3);
  return new Uint8Array(words.buffer, 0, size);
}

/** Encodes bytes in base64. */
export function base64Of(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
}

/** Decodes base64. */
export function bytesOfBase64(text: string): Uint8Array {
  return new Uint8Array(Buffer.from(text, "base64"));
}

/** Returns the SHA-256 of bytes as text. */
export async function digestOf(bytes: ArrayBuffer | Uint8Array<ArrayBuffer>): Promise<string> {
  return Buffer.from(await crypto.subtle.digest("SHA-256", bytes)).toString("hex");
}
