/** From the answers of one transaction to one result a recipient (RFC 5321 4.2, the port in ../transport.ts). Pure. */

import type { Plan } from "./commands.ts";
import { type Answer, type Broken, isBroken } from "./conversation.ts";
import type { Sent } from "./message.ts";
import { localReply, toReply } from "./replies.ts";
import type { Phase, RecipientResult, TransactionResult } from "./transport.ts";

/** The answers to MAIL, to each planned RCPT, and to DATA; what was not asked is missing or null. */
export interface Opening {
  mail: Answer;
  rcpts: readonly Answer[];
  data: Answer | null;
}

/** True for a 2xx reply. */
export function isPositive(answer: Answer): boolean {
  return !isBroken(answer) && answer.code < 300;
}

/** True for a 3xx reply, which belongs to DATA and AUTH alone. */
export function isOutOfPlace(answer: Answer): boolean {
  return !isBroken(answer) && answer.code >= 300 && answer.code < 400;
}

export const OUT_OF_PLACE = "the server gave a reply that does not belong to its command";

/** Results in the order of the envelope. `sent` is null when the message itself was not begun. */
export function settle(plan: Plan, opening: Opening, sent: Sent | null): TransactionResult {
  let at = 0;
  const recipients = plan.decided.map((decided) => {
    if (decided) return decided;
    const asksSuccess = plan.recipients[at]?.asksSuccess ?? false;
    return settleRecipient(opening, opening.rcpts[at++] ?? null, sent, asksSuccess);
  });
  return { recipients };
}

function settleRecipient(
  opening: Opening,
  rcpt: Answer | null,
  sent: Sent | null,
  dsnRequested: boolean,
): RecipientResult {
  const stopped = stop("mail", opening.mail) ?? stop("rcpt", rcpt);
  if (stopped) return stopped;
  if (!sent) return stop("data", opening.data) ?? deferred("data", null, OUT_OF_PLACE);
  if (sent.kind === "aborted" && sent.forGood) {
    return { kind: "message-refused", phase: "data", reply: localReply(554, "5.6.0", `Not sent: ${sent.reason}`) };
  }
  if (sent.kind === "aborted") return deferred("data", null, sent.reason);
  if (sent.kind === "unanswered" && !sent.dotWritten) return lost("data", sent.broken);
  if (sent.kind === "unanswered")
    return { kind: "ambiguous", phase: "final-dot", reply: null, reason: sent.broken.reason };
  if (sent.reply.code < 300) return { kind: "accepted", reply: toReply(sent.reply), dsnRequested };
  return (
    stop("final-dot", sent.reply) ?? {
      kind: "ambiguous",
      phase: "final-dot",
      reply: null,
      reason: OUT_OF_PLACE,
    }
  );
}

/** The result when the way ends at this answer; null when it goes on. */
function stop(phase: "mail" | "rcpt" | "data" | "final-dot", answer: Answer | null): RecipientResult | null {
  if (answer === null) return deferred(phase, null, "the command was not sent");
  if (isBroken(answer)) return lost(phase, answer);
  if (answer.code < 300) return null;
  if (answer.code < 400) return phase === "final-dot" ? null : deferred(phase, null, OUT_OF_PLACE);
  const reply = toReply(answer);
  if (answer.code < 500) return deferred(phase, reply, "the server said to try later");
  return phase === "rcpt" ? { kind: "recipient-refused", phase, reply } : { kind: "message-refused", phase, reply };
}

function lost(phase: Phase, broken: Broken): RecipientResult {
  return deferred(phase, broken.reply && toReply(broken.reply), broken.reason);
}

function deferred(phase: Phase, reply: ReturnType<typeof toReply> | null, reason: string): RecipientResult {
  return { kind: "deferred", phase, reply, reason };
}
