/** Memory that this module has allocated: what follows the input in it is free. */
const own = new WeakSet<ArrayBufferLike>();

/**
 * Returns the input of a connection with a further chunk. The memory doubles when it is full, so that a message of many MB is not
 * copied for each chunk. The input that was given may not be appended to again.
 */
export function appendChunk(input: Buffer, chunk: Buffer): Buffer {
  if (input.length === 0) return chunk;
  const { buffer, byteOffset, length } = input;
  const whole = length + chunk.length;
  if (own.has(buffer) && byteOffset + whole <= buffer.byteLength) {
    const grown = Buffer.from(buffer, byteOffset, whole);
    chunk.copy(grown, length);
    return grown;
  }
  const memory = Buffer.allocUnsafeSlow(2 * whole);
  own.add(memory.buffer);
  input.copy(memory);
  chunk.copy(memory, length);
  return memory.subarray(0, whole);
}
