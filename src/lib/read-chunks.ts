/** Bytes of a chunk. A stream of the runtime otherwise gives 4 KiB at a time, and each read takes longer than its bytes. */
const CHUNK_BYTES = 65_536;

/**
 * Yields a stream in chunks of 64 KiB, the last one smaller; one that JavaScript writes in the chunks that it has. A chunk is valid until
 * the next one is read: they share one buffer. Cancels the stream when its reader stops early. Throws what the stream throws.
 */
export async function* readChunks(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = openBytes(stream);
  if (!reader) {
    yield* stream;
    return;
  }
  let isDone = false;
  try {
    for (let buffer: ArrayBufferLike = new ArrayBuffer(CHUNK_BYTES); !isDone; ) {
      const read: ReadableStreamReadResult<Uint8Array> = await reader.readAtLeast(CHUNK_BYTES, new Uint8Array(buffer));
      isDone = read.done;
      if (!read.value) continue;
      if (read.value.byteLength > 0) yield read.value;
      buffer = read.value.buffer;
    }
  } finally {
    if (!isDone) await reader.cancel("not read to its end").catch(() => {});
  }
}

function openBytes(stream: ReadableStream<Uint8Array>): ReadableStreamBYOBReader | null {
  try {
    return stream.getReader({ mode: "byob" });
  } catch {
    // A stream of JavaScript objects has no reader of bytes.
    return null;
  }
}

/** Yields what follows the first bytes of a stream. */
export async function* skipBytes(stream: AsyncIterable<Uint8Array>, bytes: number): AsyncGenerator<Uint8Array> {
  let left = bytes;
  for await (const chunk of stream) {
    const skipped = Math.min(left, chunk.length);
    left -= skipped;
    if (skipped < chunk.length) yield chunk.subarray(skipped);
  }
}
