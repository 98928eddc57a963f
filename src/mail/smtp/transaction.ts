/** One mail transaction (RFC 5321 3.3): MAIL, RCPT, DATA, the message and the final dot, then one result per recipient. */

import type { Plan } from "./commands.ts";
import { sendMessage } from "./message.ts";
import { type EnvelopeReplies, isIntermediate, isSuccess, toTransactionResult, UNEXPECTED_REPLY } from "./results.ts";
import { type CommandResult, isDisconnect } from "./smtp-session.ts";
import type { TransactionContext } from "./transaction-context.ts";
import type { OutgoingMessage, TransactionResult } from "./transport.ts";

/**
 * Runs a transaction and resolves with one result per recipient; never rejects. Calls `release` when the next transaction may be written:
 * with PIPELINING right after the final dot, in the same write (RFC 2920 3.1), otherwise after the last reply. It may call `release` twice.
 */
export async function runTransaction(
  context: TransactionContext,
  plan: Plan,
  message: OutgoingMessage,
  release: () => void,
): Promise<TransactionResult> {
  if (context.transactionMs !== undefined) context.session.limit(context.transactionMs);
  const replies = await (context.pipelining ? sendEnvelopePipelined(context, plan) : sendEnvelope(context, plan));
  const startsInput = isStartMailInput(replies.data);
  const data = startsInput ? await sendData(context, replies, message, release) : null;
  if (!startsInput) abandonEnvelope(context, replies);
  context.session.limit(null);
  release();
  return toTransactionResult(plan, replies, data);
}

/** Sends MAIL, every RCPT and DATA in one write; DATA ends the group (RFC 2920 3.1). */
async function sendEnvelopePipelined(context: TransactionContext, plan: Plan): Promise<EnvelopeReplies> {
  const { session, replyMs } = context;
  const reset = context.needsReset ? session.command("RSET", replyMs) : null;
  const mail = session.command(plan.mail, replyMs);
  const rcpts = plan.recipients.map(({ line }) => session.command(line, replyMs));
  const data = session.command("DATA", replyMs);
  void session.flush();
  const resetFailure = reset && closeUnlessReset(context, await reset);
  if (resetFailure) return { mail: resetFailure, rcpts: [], data: null };
  return { mail: await mail, rcpts: await Promise.all(rcpts), data: await data };
}

/** Sends one command at a time and stops when the next one cannot succeed. */
async function sendEnvelope(context: TransactionContext, plan: Plan): Promise<EnvelopeReplies> {
  const resetFailure = context.needsReset ? closeUnlessReset(context, await send(context, "RSET")) : null;
  const mail = resetFailure ?? (await send(context, plan.mail));
  const rcpts: CommandResult[] = [];
  if (!isSuccess(mail)) return { mail, rcpts, data: null };
  for (const { line } of plan.recipients) rcpts.push(await send(context, line));
  return { mail, rcpts, data: rcpts.some(isSuccess) ? await send(context, "DATA") : null };
}

const send = ({ session, replyMs }: TransactionContext, line: string) => session.send(line, replyMs);

/** Returns null after a successful RSET. Closes the session otherwise: the server may mix two envelopes. */
function closeUnlessReset({ session }: TransactionContext, result: CommandResult): CommandResult | null {
  if (isSuccess(result)) return null;
  if (!isDisconnect(result)) session.close("the server refused RSET", result);
  return session.disconnect;
}

/** Sends what must follow a 354: the message, or an empty one when no recipient was accepted. */
async function sendData(
  context: TransactionContext,
  replies: EnvelopeReplies,
  message: OutgoingMessage,
  release: () => void,
) {
  context.needsReset = false;
  const hasRecipients = replies.rcpts.some(isSuccess);
  if (isSuccess(replies.mail) && hasRecipients)
    return sendMessage(context, message, context.pipelining ? release : null);
  // After 354 without a recipient an empty message ends the transaction (RFC 2920 3.1). A server that refused MAIL but
  // accepted a recipient would deliver that empty message, so the session is closed instead.
  if (hasRecipients) context.session.close("the server replied 354 after it refused MAIL");
  else await send(context, ".");
  return null;
}

/** Notes whether RSET is needed after a reply other than 354, and closes the session on a reply that makes no sense. */
function abandonEnvelope(context: TransactionContext, { mail, rcpts, data }: EnvelopeReplies): void {
  context.needsReset = isSuccess(mail);
  const isUnexpected =
    [mail, ...rcpts, ...(data ? [data] : [])].some(isIntermediate) || (data !== null && isSuccess(data));
  if (isUnexpected) context.session.close(UNEXPECTED_REPLY);
}

/** Returns whether a reply is 354, "start mail input". */
function isStartMailInput(result: CommandResult | null): boolean {
  return result !== null && !isDisconnect(result) && result.code === 354;
}
