/** A request body in chunks worth their overhead: the runtime's own are 4 KiB, read at half the speed or less. */

const CHUNK_BYTES = 65_536;

/**
 * The bytes of a stream (a request's `body`) as a source for `extractJson`. Each chunk is valid only until the
 * next is asked for: one buffer serves all. Left early, it cancels the stream. Throws what the stream throws.
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

/** Null for a stream that is none of bytes: one made by hand, not by a connection. */
function byteReader(body: ReadableStream<Uint8Array>): ReadableStreamBYOBReader | null {
  try {
    return body.getReader({ mode: "byob" });
  } catch {
    return null;
  }
}
