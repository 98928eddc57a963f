import type { ReportedResult } from "../src/mail/egress-tickets/report.ts";
import type { Reply } from "../src/mail/smtp/client.ts";
import type { ReceiverPace, Verdict } from "./receiver-pace.ts";
import { toLine } from "./receivers/reply-line.ts";

/**
 * Notes the results of one transaction for the pace of its receiver, each reply once, and returns them as its rules have them.
 * `bytes`: the size of its message.
 */
export function applyReplies(
  pace: ReceiverPace,
  results: readonly ReportedResult[],
  { now, bytes }: { now: number; bytes: number },
): ReportedResult[] {
  const verdicts = new Map<string, Verdict>();
  const verdictOf = (reply: Reply) => {
    const line = toLine(reply);
    const verdict = verdicts.get(line) ?? pace.noteRefusal(reply, now);
    verdicts.set(line, verdict);
    return verdict;
  };
  const accepted = results.filter(({ kind }) => kind === "accepted").length;
  if (accepted > 0) pace.noteAccepted(accepted, now, bytes);
  if (results.every((result) => result.kind === "deferred" && result.reply === null)) pace.noteFailure(now);
  return results.map((result) => {
    if (result.kind === "accepted" || !("reply" in result) || result.reply === null) return result;
    return applyVerdict(result, verdictOf(result.reply), pace.receiver.name);
  });
}

function applyVerdict(result: ReportedResult, verdict: Verdict, receiver: string): ReportedResult {
  if (verdict === "permanent" && result.kind === "deferred" && result.reply !== null)
    return { kind: "recipient-refused", phase: "rcpt", reply: result.reply, relay: result.relay ?? "", receiver };
  if (verdict === "temporary" && (result.kind === "recipient-refused" || result.kind === "message-refused"))
    return { ...result, kind: "deferred", reason: "the reply is about the rate or the address of the sender" };
  return result;
}
