/** Writes the message after 354: dot-stuffed, in slices, ended by the final dot. */

import { DotStuffer, MessageFormatError } from "./dot-stuffing.ts";
import { type DataResult, isIntermediate, UNEXPECTED_REPLY } from "./results.ts";
import { isDisconnect, type SmtpSession } from "./smtp-session.ts";
import type { TransactionContext } from "./transaction-context.ts";
import type { OutgoingMessage } from "./transport.ts";

/** Bytes collected before a write: few writes, little memory. */
const SLICE_BYTES = 256 * 1_024;
/** Bytes stuffed at a time, so that a large chunk does not need a buffer of twice its size. */
const PIECE_BYTES = 64 * 1_024;

/** Sends the message and the final dot. Calls `onDot` when the dot is buffered and the next command may follow it. */
export async function sendMessage(
  context: TransactionContext,
  message: OutgoingMessage,
  onDot: (() => void) | null,
): Promise<DataResult> {
  const { session, finalDotMs } = context;
  try {
    await writeContent(context, message);
  } catch (error) {
    const permanent = error instanceof MessageFormatError;
    const reason = permanent ? error.message : "the message could not be read";
    session.close("the connection was closed because a message could not be sent completely");
    return { kind: "aborted", permanent, reason };
  }
  if (session.disconnect) return { kind: "no-reply", dotWritten: false, disconnect: session.disconnect };
  session.limit(null);
  session.buffer.appendText(".\r\n");
  const result = session.awaitReply(finalDotMs);
  onDot?.();
  // Written in this tick, unless the next transaction has just done so. From here on the server may have the message.
  void session.flush();
  const reply = await result;
  if (isDisconnect(reply)) return { kind: "no-reply", dotWritten: true, disconnect: reply };
  if (isIntermediate(reply)) session.close(UNEXPECTED_REPLY);
  return { kind: "replied", reply };
}

/** Writes everything before the final dot; returns early when the session ends. Throws when the message must not go out. */
async function writeContent({ session, replyMs }: TransactionContext, message: OutgoingMessage): Promise<void> {
  const stuffer = new DotStuffer(message.size);
  if (message.inMemory) {
    for (const piece of message.inMemory) appendStuffed(session, stuffer, piece);
    return stuffer.finish();
  }
  const chunks = message.chunks()[Symbol.asyncIterator]();
  session.extendDeadline(replyMs);
  try {
    for (;;) {
      const next = await session.untilDisconnect(chunks.next());
      if (next === null) return;
      if (next.done) break;
      for (let at = 0; at < next.value.length; at += PIECE_BYTES) {
        const piece = next.value.subarray(at, at + PIECE_BYTES);
        appendStuffed(session, stuffer, piece);
        if (session.buffer.length < SLICE_BYTES) continue;
        await session.flush();
        if (session.disconnect) return;
        session.extendDeadline(replyMs);
      }
    }
    stuffer.finish();
  } finally {
    // Not awaited: a source that hangs must not block the session. After the last chunk this does nothing.
    chunks.return?.()?.catch(() => {});
  }
}

function appendStuffed({ buffer }: SmtpSession, stuffer: DotStuffer, piece: Uint8Array): void {
  buffer.append(piece.length * 2, (out, offset) => stuffer.stuff(piece, out, offset));
}
