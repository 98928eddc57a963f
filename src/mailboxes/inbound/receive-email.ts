import { readChunks } from "../../lib/read-chunks.ts";
import { createContext } from "../../platform/create-context.ts";
import { receiveMail } from "./receive.ts";

/**
 * Handles the Worker's `email` event. Rejects the message when its recipient is unknown or it is too large. Throws when the
 * result could not be stored or the mailbox is full; the sending server then tries again.
 */
export async function receiveEmail(message: ForwardableEmailMessage, env: Env): Promise<void> {
  const ctx = createContext(env, crypto.randomUUID());
  const { from, to, raw, rawSize } = message;
  const result = await receiveMail(ctx, {
    from,
    to,
    raw: readChunks(raw),
    size: rawSize,
    authentication: "in-header",
  });
  if (result.accepted) return;
  // An Email Worker has no temporary rejection: an exception makes the server reply with 4xx.
  if (result.reply.startsWith("4")) throw new Error(result.reply);
  message.setReject(result.reply);
}
