import { Refusal } from "../mail-gateway/errors.ts";
import { IN_LINE, type Relay, type ReportedResult } from "../src/mail/egress-tickets/report.ts";
import type { RecipientResult as SmtpResult } from "../src/mail/smtp/client.ts";
import type { Wait } from "./receiver-pace.ts";
import type { Receiver } from "./receivers/types.ts";

/** The result of an email when this program failed before its final dot. */
export const FAILED = {
  kind: "deferred",
  phase: "connect",
  reply: null,
  reason: "the egress failed; its log has the error",
} as const satisfies ReportedResult;

/** The enhanced code of a wait of all mail to a receiver. */
const PAUSED = "4.7.1";
const SECOND_MS = 1_000;
const MAX_SECONDS = 432_000;
const MAX_REASON = 200;
const MAX_LABEL = 60;
/** Characters of texts that the Worker takes. */
const MAX_REPORTED_REASON = 1_000;
const MAX_NAME = 255;

/** Returns whether a result means that a final dot was sent. */
export function isOfFinalDot(result: ReportedResult): boolean {
  return (
    result.kind === "accepted" || result.kind === "ambiguous" || ("phase" in result && result.phase === "final-dot")
  );
}

/** Returns the result of a transaction as the Worker is told it. Pure, as are all functions here. */
export function toResult(result: SmtpResult, relay: Relay): ReportedResult {
  if (result.kind !== "accepted") return { ...result, ...relay };
  return { kind: "accepted", reply: result.reply, ...relay };
}

/**
 * Returns a result with texts that the Worker takes: a report with NUL, a lone surrogate or too long a text would be dropped, and the
 * email sent again. Names come from the DNS of recipients, and reasons may be cut replies of their servers.
 */
export function toReported(result: ReportedResult): ReportedResult {
  const reported = { ...result };
  if ("reason" in reported) reported.reason = cleaned(reported.reason, MAX_REPORTED_REASON);
  if ("relay" in reported && reported.relay !== undefined) reported.relay = cleaned(reported.relay, MAX_NAME);
  if ("receiver" in reported && reported.receiver !== undefined)
    reported.receiver = cleaned(reported.receiver, MAX_NAME);
  return reported;
}

const cleaned = (text: string, max: number) => text.replaceAll("\0", "?").slice(0, max).toWellFormed();

/** Returns the result of an email whose receiver has no place for it now. */
export function pacedResult({ name, label }: Receiver, { ms, reason }: Wait): ReportedResult {
  return {
    kind: "paced",
    receiver: name,
    label,
    seconds: secondsOf(ms),
    reason: textOf(reason).slice(0, MAX_REASON),
  };
}

/** Returns the result of an email that DNS shows to be undeliverable: the reply that RCPT would have got. */
export function toRefusal(reply: string, domain: string): ReportedResult {
  const [, code = "550", enhanced = "5.0.0", text = reply] = /^(\d{3}) (\S+) (.*)$/s.exec(reply) ?? [];
  const relay = { relay: "", receiver: domain };
  return { kind: "recipient-refused", phase: "rcpt", reply: { code: Number(code), enhanced, text }, ...relay };
}

/** Returns the text of the reply to an email whose sender waits, when its receiver has accepted it. Throws Refusal with its words. */
export function toReplyText(result: ReportedResult): string {
  if (result.kind === "accepted") return printable(`${result.relay} replied: ${result.reply.text}`);
  if ("reply" in result && result.reply) {
    const { code, enhanced, text } = result.reply;
    throw new Refusal(`${code} ${enhanced ?? (code < 500 ? "4.0.0" : "5.0.0")} ${printable(text)}`);
  }
  throw new Refusal(`451 4.4.0 Not delivered yet: ${printable("reason" in result ? result.reason : "no result")}`);
}

const printable = (text: string) => text.replace(/[^\x20-\x7e]/g, "?");

/** Returns the reply to RCPT for such an email. */
export function pacedReply(receiver: Receiver, { ms, reason }: Wait): string {
  const text = textOf(reason)
    .replace(/[^\x20-\x7e]/g, "?")
    .slice(0, MAX_REASON);
  const label = receiver.label.replace(/[^\x20-\x7e]|\)/g, "?").slice(-MAX_LABEL);
  return `451 ${reason === null ? IN_LINE : PAUSED} wait ${secondsOf(ms)} s for ${receiver.name} (${label}): ${text}`;
}

/** The reply that caused a wait was to an email of any workspace, and others that wait are told it. A reply has up to 512 characters. */
const textOf = (reason: string | null) =>
  reason?.replace(/[^\s<>"'()]+@[^\s<>"'()]+/g, "(address)") ?? "its rate is used up";

const secondsOf = (ms: number) => Math.min(Math.max(1, Math.ceil(ms / SECOND_MS)), MAX_SECONDS);
