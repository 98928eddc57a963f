/** The message on its way: stuffed, sliced, written, closed by the final dot. */

import { type Broken, isBroken } from "./conversation.ts";
import { DotStuffer, MessageFormatError } from "./data.ts";
import type { RawReply } from "./replies.ts";
import type { Session } from "./session.ts";
import { isOutOfPlace, OUT_OF_PLACE } from "./settle.ts";
import type { OutgoingMessage } from "./transport.ts";

/** How sending the message ended. */
export type Sent =
  | { kind: "answered"; reply: RawReply }
  /** `dotWritten`: the socket was given the final dot, so the server may have the message. */
  | { kind: "unanswered"; dotWritten: boolean; broken: Broken }
  /** We stopped before the final dot and closed: the message breaks the rules, or could not be read. */
  | { kind: "aborted"; forGood: boolean; reason: string };

/** Octets gathered before a write: few writes, little memory. */
const SLICE_OCTETS = 256 * 1_024;
/** Octets stuffed at a time, so that a large chunk does not need a buffer of twice its size. */
const PIECE_OCTETS = 64 * 1_024;

/** Sends the message and the final dot. `onDot` is called when the dot is gathered and the next command may follow it. */
export async function sendMessage(
  session: Session,
  message: OutgoingMessage,
  onDot: (() => void) | null,
): Promise<Sent> {
  const { conversation, finalDotMs } = session;
  try {
    await writeContent(session, message);
  } catch (error) {
    const forGood = error instanceof MessageFormatError;
    const reason = forGood ? error.message : "the message could not be read";
    conversation.end("the connection was given up over a message that could not be sent whole");
    return { kind: "aborted", forGood, reason };
  }
  if (conversation.broken) return { kind: "unanswered", dotWritten: false, broken: conversation.broken };
  conversation.outgoing.text(".\r\n");
  const coming = conversation.expect(finalDotMs);
  onDot?.();
  // Written in this very tick, unless the next transaction has just done so: from here on the server may have the mail.
  void conversation.flush();
  const answer = await coming;
  if (isBroken(answer)) return { kind: "unanswered", dotWritten: true, broken: answer };
  if (isOutOfPlace(answer)) conversation.end(OUT_OF_PLACE);
  return { kind: "answered", reply: answer };
}

/** Sends an empty message that has no recipient. */
export async function sendLoneDot({ conversation, replyMs }: Session): Promise<void> {
  const answer = conversation.command(".", replyMs);
  void conversation.flush();
  await answer;
}

/** Resolves when everything but the final dot is gathered, or the conversation is over. Throws when it must not go out. */
async function writeContent({ conversation, replyMs }: Session, message: OutgoingMessage): Promise<void> {
  const stuffer = new DotStuffer(message.size);
  const chunks = message.chunks()[Symbol.asyncIterator]();
  conversation.allow(replyMs);
  try {
    for (;;) {
      const step = await conversation.untilBroken(chunks.next());
      if (step === null) return;
      if (step.done) break;
      for (let at = 0; at < step.value.length; at += PIECE_OCTETS) {
        const piece = step.value.subarray(at, at + PIECE_OCTETS);
        conversation.outgoing.fill(piece.length * 2, (out, to) => stuffer.stuff(piece, out, to));
        if (conversation.outgoing.length < SLICE_OCTETS) continue;
        await conversation.flush();
        if (conversation.broken) return;
        conversation.allow(replyMs);
      }
    }
    stuffer.finish();
  } finally {
    // Not awaited: a source that hangs must not hold us. After the last chunk this does nothing.
    chunks.return?.()?.catch(() => {});
  }
}
