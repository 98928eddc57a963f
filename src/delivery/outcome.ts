import type { Outcome } from "../emails/index.ts";
import { ComposeError } from "../mail/mime/index.ts";
import { isHardBounce } from "../mail/reports/index.ts";
import type { ConnectError, RecipientResult, Reply } from "../mail/smtp/index.ts";
import { PermanentError } from "./prepare.ts";

/** What surrounds one attempt. */
export interface Attempt {
  /** Host the mail was handed to. */
  relay: string;
  /** 1 is the first. */
  number: number;
  /** When the next attempt would be, in milliseconds since 1970; null when this was the last. */
  nextAt: number | null;
  /** An earlier run was cut off before it wrote what it did: this mail may reach the recipient twice. */
  afterInterruption: boolean;
}

/**
 * What a recipient's result means (decisions 4). 2xx: handed over, final unless a DSN was promised. 5xx:
 * bounced or rejected. Everything else is tried again, an answer missing after the final dot included; its
 * event says that the mail may have been taken. Pure.
 */
export function toOutcome(result: RecipientResult, attempt: Attempt): Outcome {
  switch (result.kind) {
    case "accepted":
      return {
        on: result.dsnRequested ? "accepted-dsn-to-come" : "accepted-final",
        metadata: { ...about(attempt), ...describe(result.reply) },
      };
    case "recipient-refused":
      return bounce(result, attempt);
    case "message-refused":
      return { on: "message-refused", metadata: { ...about(attempt), phase: result.phase, ...describe(result.reply) } };
    case "deferred":
    case "ambiguous":
      return deferOrFail(attempt, {
        ...about(attempt),
        phase: result.phase,
        reason: result.reason,
        ...(result.reply ? describe(result.reply) : {}),
        ...(result.kind === "ambiguous" ? { ambiguous: true } : {}),
      });
  }
}

/** Only an address that does not work is suppressed; a refusal for other reasons says nothing about the next mail. */
function bounce({ phase, reply }: RecipientResult & { kind: "recipient-refused" }, attempt: Attempt): Outcome {
  const hard = isHardBounce(reply);
  const metadata = { ...about(attempt), phase, bounce_type: hard ? "hard" : "soft", ...describe(reply) };
  return { on: "recipient-refused", metadata, ...(hard ? { suppress: "bounce" as const } : {}) };
}

/** To be tried again, or given up when this was the last attempt. */
export function deferOrFail(attempt: Attempt, metadata: Record<string, unknown>): Outcome {
  if (attempt.nextAt === null) return { on: "gave-up", metadata };
  return { on: "deferred", metadata: { ...metadata, next_attempt_at: new Date(attempt.nextAt).toISOString() } };
}

/** Nothing takes mail out of the house, and waiting will not change that. */
export function noEgress(): Outcome {
  return { on: "gave-up", metadata: { reason: "no egress is configured" } };
}

/** The egress could not be reached: nothing was sent. */
export function unreachable(attempt: Attempt, error: ConnectError): Outcome {
  const reply = error.reply ? describe(error.reply) : {};
  return deferOrFail(attempt, { ...about(attempt), phase: error.phase, reason: error.message, ...reply });
}

/** The message could not be made. What cannot be composed will not get better; anything else (R2, say) may. */
export function unprepared(attempt: Attempt, error: unknown): Outcome {
  if (error instanceof ComposeError || error instanceof PermanentError) {
    return { on: "gave-up", metadata: { attempt: attempt.number, reason: error.message } };
  }
  return deferOrFail(attempt, { attempt: attempt.number, reason: "the message could not be made ready" });
}

function about(attempt: Attempt): Record<string, unknown> {
  const duplicate = attempt.afterInterruption ? { possible_duplicate: true } : {};
  return { relay: attempt.relay, attempt: attempt.number, ...duplicate };
}

function describe(reply: Reply): Record<string, unknown> {
  const text = [reply.code, reply.enhanced, reply.text].filter((part) => part !== null && part !== "").join(" ");
  return { dsn: reply.enhanced, response: text };
}
