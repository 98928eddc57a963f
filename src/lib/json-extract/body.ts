/** Reads a request body in chunks of 64 KiB. The chunks of the runtime are 4 KiB, which takes twice the time. */

const CHUNK_BYTES = 65_536;

/**
 * Yields the bytes of a stream, as a source for `extractJson`. A chunk is valid only until the next one is requested,
 * because all share one buffer. Leaving the loop early cancels the stream. Throws the errors of the stream.
 */
export async function* bodyChunks(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = byteReader(body);
  if (reader === null) {
    yield* body;
    return;
  }
  let view = new Uint8Array(CHUNK_BYTES);
  let isOver = false;
  try {
    while (!isOver) {
      const { done, value } = await reader.readAtLeast(CHUNK_BYTES, view);
      isOver = done;
      if (value === undefined || value.length === 0) continue;
      yield value;
      view = new Uint8Array(value.buffer);
    }
  } finally {
    if (!isOver) await reader.cancel("not read to its end");
  }
}

/** Returns null for a stream that is not a byte stream: one constructed in code, not by a connection. */
function byteReader(body: ReadableStream<Uint8Array>): ReadableStreamBYOBReader | null {
  try {
    return body.getReader({ mode: "byob" });
  } catch {
    return null;
  }
}
