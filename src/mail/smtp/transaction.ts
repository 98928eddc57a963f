/** One mail transaction (RFC 5321 3.3): MAIL, RCPT, DATA, the message, the final dot; then what became of each recipient. */

import type { Plan } from "./commands.ts";
import { type Answer, isBroken } from "./conversation.ts";
import { sendLoneDot, sendMessage } from "./message.ts";
import type { Session } from "./session.ts";
import { isOutOfPlace, isPositive, type Opening, OUT_OF_PLACE, settle } from "./settle.ts";
import type { OutgoingMessage, TransactionResult } from "./transport.ts";

/**
 * Runs a transaction and resolves with one result a recipient; never rejects. `release` is called when the next one may
 * be written: right behind our final dot, in the same write, when the server takes pipelining (RFC 2920 3.1), else after
 * the last reply. It may be called twice.
 */
export async function runTransaction(
  session: Session,
  plan: Plan,
  message: OutgoingMessage,
  release: () => void,
): Promise<TransactionResult> {
  const opening = await (session.pipelining ? openAtOnce(session, plan) : openInLockstep(session, plan));
  const sent = isGo(opening.data) ? await fill(session, opening, message, release) : null;
  if (!isGo(opening.data)) leave(session, opening);
  release();
  return settle(plan, opening, sent);
}

/** MAIL, every RCPT and DATA in one write; DATA ends the group (RFC 2920 3.1). */
async function openAtOnce(session: Session, plan: Plan): Promise<Opening> {
  const { conversation, replyMs } = session;
  const reset = session.needsReset ? conversation.command("RSET", replyMs) : null;
  const mail = conversation.command(plan.mail, replyMs);
  const rcpts = plan.recipients.map(({ line }) => conversation.command(line, replyMs));
  const data = conversation.command("DATA", replyMs);
  void conversation.flush();
  const lost = reset && unlessReset(session, await reset);
  if (lost) return { mail: lost, rcpts: [], data: null };
  return { mail: await mail, rcpts: await Promise.all(rcpts), data: await data };
}

/** One command at a time, none that has become pointless. */
async function openInLockstep(session: Session, plan: Plan): Promise<Opening> {
  const lost = session.needsReset ? unlessReset(session, await ask(session, "RSET")) : null;
  const mail = lost ?? (await ask(session, plan.mail));
  const rcpts: Answer[] = [];
  if (!isPositive(mail)) return { mail, rcpts, data: null };
  for (const { line } of plan.recipients) rcpts.push(await ask(session, line));
  return { mail, rcpts, data: rcpts.some(isPositive) ? await ask(session, "DATA") : null };
}

function ask({ conversation, replyMs }: Session, line: string): Promise<Answer> {
  const answer = conversation.command(line, replyMs);
  void conversation.flush();
  return answer;
}

/** Null when RSET was taken. Without it the server may mix two envelopes, or call the next MAIL a wrong sequence. */
function unlessReset({ conversation }: Session, answer: Answer): Answer | null {
  if (isPositive(answer)) return null;
  if (!isBroken(answer)) conversation.end("the server refused RSET", answer);
  return conversation.broken;
}

/** After 354. */
async function fill(session: Session, opening: Opening, message: OutgoingMessage, release: () => void) {
  session.needsReset = false;
  const recipients = opening.rcpts.some(isPositive);
  if (isPositive(opening.mail) && recipients) return sendMessage(session, message, session.pipelining ? release : null);
  // Nobody to send to, yet the server waits for a message: an empty one is the way out (RFC 2920 3.1), unless it took
  // a recipient without its sender, who would get that empty message.
  if (recipients) session.conversation.end("the server said 354 after refusing MAIL");
  else await sendLoneDot(session);
  return null;
}

/** After anything but 354. */
function leave(session: Session, { mail, rcpts, data }: Opening): void {
  session.needsReset = isPositive(mail);
  const absurd = [mail, ...rcpts, ...(data ? [data] : [])].some(isOutOfPlace) || (data !== null && isPositive(data));
  if (absurd) session.conversation.end(OUT_OF_PLACE);
}

function isGo(answer: Answer | null): boolean {
  return answer !== null && !isBroken(answer) && answer.code === 354;
}
