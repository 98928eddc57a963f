import { concat } from "../lib/bytes.ts";

/** What the gateway sends after the last octet. An upload that was cut off does not have it. */
const END = "\0end";

/**
 * Returns a message from the gateway without its first `skip` octets and without the mark at its end. Reading it throws
 * when the mark is missing: the message was cut off, and the sending server must try again.
 */
export function gatewayStream(stream: AsyncIterable<Uint8Array>, skip: number): ReadableStream<Uint8Array> {
  const octets = withoutEnd(stream, skip);
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await octets.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
  });
}

async function* withoutEnd(stream: AsyncIterable<Uint8Array>, skip: number): AsyncGenerator<Uint8Array> {
  let left = skip;
  let held: Uint8Array = new Uint8Array(0);
  for await (const chunk of stream) {
    const octets = concat([held, chunk]);
    const to = Math.max(0, octets.length - END.length);
    held = octets.slice(to);
    const from = Math.min(left, to);
    left -= from;
    if (to > from) yield octets.subarray(from, to);
  }
  if (new TextDecoder().decode(held) !== END) throw new Error("the message from the gateway was cut off");
}
