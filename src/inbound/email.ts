import { createContext } from "../context.ts";
import { receiveMail } from "./receive.ts";

/** Octets of a message that are looked at: a report says what it has to say at its beginning. */
const MAX_OCTETS = 1024 * 1024;

/** The door of the Email Worker: it can take a message, refuse it, or throw, and then the sender tries again. */
export async function receiveEmail(message: ForwardableEmailMessage, env: Env): Promise<void> {
  const ctx = createContext(env, crypto.randomUUID());
  const { from, to } = message;
  const reception = await receiveMail(ctx, { from, to, raw: await beginningOf(message.raw) });
  if (!reception.taken) message.setReject(reception.reply);
}

async function beginningOf(stream: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  const octets = new Uint8Array(MAX_OCTETS);
  let filled = 0;
  for await (const chunk of stream) {
    const part = chunk.subarray(0, MAX_OCTETS - filled);
    octets.set(part, filled);
    filled += part.byteLength;
    if (filled === MAX_OCTETS) break;
  }
  return octets.slice(0, filled);
}
