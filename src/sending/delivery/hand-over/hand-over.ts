import { IN_LINE } from "../../../mail/egress-tickets/report.ts";
import type { RecipientResult } from "../../../mail/smtp/transport.ts";

/** The egress does not take an email yet, because its receiver is to get it later. No attempt was made. */
export interface Paced {
  kind: "paced";
  /** Name of the mail system of the recipient, and how people know it. */
  receiver: string;
  label: string;
  waitMs: number;
  reason: string;
  /** True when all mail to the receiver waits, not only this email for its place in the line. */
  isPause: boolean;
}

/** Result of a hand-over for one recipient: an egress of our own holds the email under our lease, or lets it wait. */
export type HandOver = RecipientResult | { kind: "held" } | Paced;

/** The text of a 451 to RCPT by which an egress of our own lets an email wait (docs/egress.md). */
const WAIT = /^wait (\d{1,6}) s for ([a-z0-9.-]{1,100}) \(([^)]{1,60})\): (.{1,300})$/;
/** The enhanced code by which an egress without room, or one that stops, gives an email back (RFC 3463 3.4), and when to ask again. */
const NO_ROOM = "4.3.2";
const NO_ROOM_WAIT_MS = 30_000;

/**
 * Converts a result of an egress that offers the lease. One without a reply to the final dot may be held: if it is not, the lease
 * ends without a report. Pure.
 */
export function toHandOver(result: RecipientResult): HandOver {
  if (result.kind === "accepted" || result.kind === "ambiguous") return { kind: "held" };
  if (result.kind !== "deferred" || result.reply === null) return result;
  if (result.reply.enhanced === NO_ROOM && ["mail", "rcpt", "data"].includes(result.phase)) {
    const { code, text } = result.reply;
    const reason = `${code} ${NO_ROOM} ${text}`;
    return { kind: "paced", receiver: "egress", label: "the egress", waitMs: NO_ROOM_WAIT_MS, reason, isPause: false };
  }
  if (result.phase !== "rcpt" || result.reply.code !== 451) return result;
  const [, seconds, receiver = "", label = "", reason = ""] = WAIT.exec(result.reply.text) ?? [];
  if (seconds === undefined) return result;
  const isPause = result.reply.enhanced !== IN_LINE;
  return { kind: "paced", receiver, label, waitMs: Number(seconds) * 1_000, reason, isPause };
}

/** Returns whether a recipient has no result yet: the egress holds its email, or lets it wait. */
export const isOpen = (result: HandOver): result is { kind: "held" } | Paced =>
  result.kind === "held" || result.kind === "paced";
