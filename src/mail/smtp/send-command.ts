/** Sends one command and waits for its reply, while a session is opened. Failures become ConnectError. */

import { type RawReply, toReply } from "./replies.ts";
import { type CommandResult, isDisconnect, type SmtpSession } from "./smtp-session.ts";
import { ConnectError, type Phase } from "./transport.ts";

/** Writes one command line and returns its reply, whatever its code. Throws ConnectError when no reply arrives. */
export async function sendCommand(
  session: SmtpSession,
  phase: Phase,
  line: string,
  replyMs: number,
): Promise<RawReply> {
  return requireReply(phase, await session.send(line, replyMs));
}

/** Returns the reply when its code is 2xx. Throws ConnectError otherwise. */
export function requireSuccess(phase: Phase, result: CommandResult): RawReply {
  const reply = requireReply(phase, result);
  if (reply.code < 300) return reply;
  throw new ConnectError(phase, toReply(reply), `the server replied ${reply.code} (${phase})`);
}

function requireReply(phase: Phase, result: CommandResult): RawReply {
  if (!isDisconnect(result)) return result;
  throw new ConnectError(phase, result.reply && toReply(result.reply), `${result.reason} (${phase})`);
}
