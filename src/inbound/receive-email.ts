import { createContext } from "../context.ts";
import { receiveMail } from "./receive.ts";

/** Bytes of a message that are read. Reports put their result at the beginning and the returned mail at the end. */
const MAX_BYTES = 1024 * 1024;

/**
 * Handles the Worker's `email` event. Rejects the message when its recipient is unknown. Throws when the result could
 * not be stored; the sending server then tries again.
 */
export async function receiveEmail(message: ForwardableEmailMessage, env: Env): Promise<void> {
  const ctx = createContext(env, crypto.randomUUID());
  const { from, to } = message;
  const result = await receiveMail(ctx, { from, to, raw: await readStart(message.raw) });
  if (!result.accepted) message.setReject(result.reply);
}

async function readStart(stream: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  const bytes = new Uint8Array(MAX_BYTES);
  let filled = 0;
  for await (const chunk of stream) {
    const part = chunk.subarray(0, MAX_BYTES - filled);
    bytes.set(part, filled);
    filled += part.byteLength;
    if (filled === MAX_BYTES) break;
  }
  return bytes.slice(0, filled);
}
