/** One command, one reply, while a conversation is opened: whatever is not the reply hoped for becomes a ConnectError. */

import { type Answer, type Conversation, isBroken } from "./conversation.ts";
import { type RawReply, toReply } from "./replies.ts";
import { ConnectError, type Phase } from "./transport.ts";

/** Writes one command and returns its reply. Throws ConnectError when there is none. */
export async function ask(conversation: Conversation, phase: Phase, line: string, replyMs: number): Promise<RawReply> {
  const answer = conversation.command(line, replyMs);
  void conversation.flush();
  return present(phase, await answer);
}

/** The reply, when it is 2xx; else throws ConnectError. */
export function demand(phase: Phase, answer: Answer): RawReply {
  const reply = present(phase, answer);
  if (reply.code < 300) return reply;
  throw new ConnectError(phase, toReply(reply), `the server answered ${reply.code} (${phase})`);
}

function present(phase: Phase, answer: Answer): RawReply {
  if (!isBroken(answer)) return answer;
  throw new ConnectError(phase, answer.reply && toReply(answer.reply), `${answer.reason} (${phase})`);
}
