/** Largest message that is received, in bytes (Email Routing limits: 25 MiB). */
export const MAX_MESSAGE_BYTES = 25 * 1024 * 1024;

/**
 * Sizes of the buffer for a message of unknown size. The last one is that of the largest message at once: growing step by
 * step would hold two large buffers, and octets that are never written take no memory.
 */
const BUFFER_BYTES = [65_536, 1_048_576, MAX_MESSAGE_BYTES];

/**
 * Reads a message into one buffer. `size` is the number of bytes when it is known. Returns null when the message is larger than
 * 25 MiB. Throws what the stream throws.
 */
export async function readMessage(stream: ReadableStream<Uint8Array>, size: number | null): Promise<Uint8Array | null> {
  if (size !== null && size > MAX_MESSAGE_BYTES) {
    await stream.cancel();
    return null;
  }
  let buffer = new Uint8Array(size ?? BUFFER_BYTES[0] ?? MAX_MESSAGE_BYTES);
  let filled = 0;
  for await (const chunk of stream) {
    if (filled + chunk.byteLength > MAX_MESSAGE_BYTES) return null;
    if (filled + chunk.byteLength > buffer.length) buffer = enlarge(buffer, filled, chunk.byteLength);
    buffer.set(chunk, filled);
    filled += chunk.byteLength;
  }
  return buffer.subarray(0, filled);
}

function enlarge(buffer: Uint8Array, filled: number, more: number): Uint8Array<ArrayBuffer> {
  const larger = new Uint8Array(BUFFER_BYTES.find((bytes) => bytes >= filled + more) ?? MAX_MESSAGE_BYTES);
  larger.set(buffer.subarray(0, filled));
  return larger;
}
