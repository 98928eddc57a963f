/** Derives one result per recipient from the replies of one transaction (RFC 5321 4.2). Pure. */

import type { Plan } from "./commands.ts";
import { localReply, type RawReply, toReply } from "./replies.ts";
import { type CommandResult, type Disconnect, isDisconnect } from "./smtp-session.ts";
import type { Phase, RecipientResult, TransactionResult } from "./transport.ts";

/** Replies to MAIL, to each planned RCPT and to DATA. A command that was not sent is missing, or null. */
export interface EnvelopeReplies {
  mail: CommandResult;
  rcpts: readonly CommandResult[];
  data: CommandResult | null;
}

/** Result of sending the message. */
export type DataResult =
  | { kind: "replied"; reply: RawReply }
  /** `dotWritten`: the socket has the final dot, so the server may have accepted the message. */
  | { kind: "no-reply"; dotWritten: boolean; disconnect: Disconnect }
  /** The session was closed before the final dot. `permanent`: the message is malformed; otherwise it could not be read. */
  | { kind: "aborted"; permanent: boolean; reason: string };

/** Returns whether a reply is 2xx. */
export const isSuccess = (result: CommandResult): boolean => !isDisconnect(result) && result.code < 300;

/** Returns whether a reply is 3xx, which only DATA and AUTH may receive. */
export function isIntermediate(result: CommandResult): boolean {
  return !isDisconnect(result) && result.code >= 300 && result.code < 400;
}

export const UNEXPECTED_REPLY = "the server sent a reply code that does not fit the command";

/** Returns results in the order of the envelope. `data` is null when the message was not started. */
export function toTransactionResult(plan: Plan, replies: EnvelopeReplies, data: DataResult | null): TransactionResult {
  let index = 0;
  const recipients = plan.decided.map((decided) => {
    if (decided) return decided;
    const asksSuccess = plan.recipients[index]?.asksSuccess ?? false;
    return toRecipientResult(replies, replies.rcpts[index++] ?? null, data, asksSuccess);
  });
  return { recipients };
}

function toRecipientResult(
  replies: EnvelopeReplies,
  rcpt: CommandResult | null,
  data: DataResult | null,
  dsnRequested: boolean,
): RecipientResult {
  const failure = failureOf("mail", replies.mail) ?? failureOf("rcpt", rcpt);
  if (failure) return failure;
  if (!data) return failureOf("data", replies.data) ?? deferred("data", null, UNEXPECTED_REPLY);
  if (data.kind === "aborted" && data.permanent) {
    return { kind: "message-refused", phase: "data", reply: localReply(554, "5.6.0", `Not sent: ${data.reason}`) };
  }
  if (data.kind === "aborted") return deferred("data", null, data.reason);
  if (data.kind === "no-reply" && !data.dotWritten) return deferredBy("data", data.disconnect);
  if (data.kind === "no-reply") return ambiguous(data.disconnect.reason);
  if (data.reply.code < 300) return { kind: "accepted", reply: toReply(data.reply), dsnRequested };
  return failureOf("final-dot", data.reply) ?? ambiguous(UNEXPECTED_REPLY);
}

/** Returns the result when this reply ends the transaction for a recipient, or null when it goes on. */
function failureOf(
  phase: "mail" | "rcpt" | "data" | "final-dot",
  result: CommandResult | null,
): RecipientResult | null {
  if (result === null) return deferred(phase, null, "the command was not sent");
  if (isDisconnect(result)) return deferredBy(phase, result);
  if (result.code < 300) return null;
  if (result.code < 400) return phase === "final-dot" ? null : deferred(phase, null, UNEXPECTED_REPLY);
  const reply = toReply(result);
  if (result.code < 500) return deferred(phase, reply, "the server replied with a temporary failure");
  return phase === "rcpt" ? { kind: "recipient-refused", phase, reply } : { kind: "message-refused", phase, reply };
}

function deferredBy(phase: Phase, disconnect: Disconnect): RecipientResult {
  return deferred(phase, disconnect.reply && toReply(disconnect.reply), disconnect.reason);
}

function deferred(phase: Phase, reply: ReturnType<typeof toReply> | null, reason: string): RecipientResult {
  return { kind: "deferred", phase, reply, reason };
}

const ambiguous = (reason: string): RecipientResult => ({ kind: "ambiguous", phase: "final-dot", reply: null, reason });
