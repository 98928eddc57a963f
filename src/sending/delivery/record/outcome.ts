import { ComposeError } from "../../../mail/mime/errors.ts";
import { classifyFailure } from "../../../mail/reports/classify.ts";
import { formatReply } from "../../../mail/smtp/replies.ts";
import type { ConnectError, RecipientResult, Reply } from "../../../mail/smtp/transport.ts";
import { AttachmentDeletedError, type EmailState, type Outcome, UnrenderableError } from "../../emails/index.ts";
import { suppressionFor } from "../../suppressions/index.ts";
import type { Paced } from "../hand-over/index.ts";
import { PermanentError } from "../prepare/index.ts";

/** The circumstances of one delivery attempt. */
export interface Attempt {
  /** Host name of the egress. */
  relay: string;
  /** 1 is the first. */
  number: number;
  /** Time of the next attempt, in milliseconds since 1970; null when this is the last. */
  nextAt: number | null;
  /** An earlier run ended before it wrote its outcomes, so the recipient may receive this email twice. */
  afterInterruption: boolean;
}

/**
 * Returns how many attempts of an email before the one of this number count for its waits. The events of one that a server replied
 * to, or that failed by itself, have more than its number: waiting for the pace of a receiver, and an egress that holds the email or
 * gives it back, are no attempts. Pure.
 */
export function countAttempts({ events }: Pick<EmailState, "events">, before = Number.POSITIVE_INFINITY): number {
  const numbers = events.flatMap(({ metadata = {} }) => {
    const { attempt } = metadata;
    const isReal = "phase" in metadata || "response" in metadata || !("relay" in metadata);
    return typeof attempt === "number" && attempt < before && isReal ? [attempt] : [];
  });
  return new Set(numbers).size;
}

/**
 * Converts the result of a recipient to its outcome (docs/contract/delivery.md#replies). 2xx: accepted, and final unless a DSN
 * is to come. 5xx: bounced or rejected. Anything else is tried again, also when no reply followed the final dot; the event of
 * that case has `ambiguous`. Pure.
 */
export function toOutcome(result: RecipientResult, attempt: Attempt): Outcome {
  switch (result.kind) {
    case "accepted":
      return {
        on: result.dsnRequested ? "accepted-dsn-to-come" : "accepted-final",
        metadata: { ...attemptMetadata(attempt), ...replyMetadata(result.reply) },
      };
    case "recipient-refused":
      return toBounce(result, attempt);
    case "message-refused":
      return {
        on: "message-refused",
        metadata: { ...attemptMetadata(attempt), phase: result.phase, ...replyMetadata(result.reply) },
      };
    case "deferred":
    case "ambiguous":
      return deferOrFail(attempt, {
        ...attemptMetadata(attempt),
        phase: result.phase,
        reason: result.reason,
        ...(result.reply ? replyMetadata(result.reply) : {}),
        ...(result.kind === "ambiguous" ? { ambiguous: true } : {}),
      });
  }
}

/** Suppresses the address only when the refusal is about it; the recipient of a DSN is classified by the same rules. */
function toBounce({ phase, reply }: RecipientResult & { kind: "recipient-refused" }, attempt: Attempt): Outcome {
  const failure = classifyFailure({ status: null, text: formatReply(reply), phase });
  const bounceType = failure === "address" ? "hard" : "soft";
  const metadata = { ...attemptMetadata(attempt), phase, bounce_type: bounceType, ...replyMetadata(reply) };
  return { on: "recipient-refused", metadata, ...suppressionFor(failure) };
}

/** Returns `deferred`, or `gave-up` when this was the last attempt. */
export function deferOrFail(attempt: Attempt, metadata: Record<string, unknown>): Outcome {
  if (attempt.nextAt === null) return { on: "gave-up", metadata };
  return { on: "deferred", metadata: { ...metadata, next_attempt_at: new Date(attempt.nextAt).toISOString() } };
}

/** Returns the outcome when the session could not be opened. */
export function egressUnreachable(attempt: Attempt, error: ConnectError): Outcome {
  const reply = error.reply ? replyMetadata(error.reply) : {};
  return deferOrFail(attempt, { ...attemptMetadata(attempt), phase: error.phase, reason: error.message, ...reply });
}

/** Returns the outcome of a recipient that waits for its receiver while the egress holds the email for others. */
export function waitsForReceiver(
  attempt: Pick<Attempt, "relay" | "number" | "afterInterruption">,
  { reason, nextAt }: { reason: string; nextAt: number },
): Outcome {
  return deferOrFail({ ...attempt, nextAt }, { ...attemptMetadata({ ...attempt, nextAt }), reason });
}

/** Returns the outcome of a recipient whose receiver was not to get the email for too long. */
export function waitedTooLong(attempt: Attempt, { label, reason }: Pick<Paced, "label" | "reason">): Outcome {
  const metadata = { relay: attempt.relay, reason: `the email waited five days for ${label}: ${reason}` };
  return { on: "gave-up", metadata };
}

/** Returns the outcome when the message could not be composed. Only errors of the message itself are final; R2 may recover. */
export function preparationFailed(attempt: Attempt, error: unknown): Outcome {
  const final = [AttachmentDeletedError, ComposeError, PermanentError, UnrenderableError];
  if (error instanceof Error && final.some((kind) => error instanceof kind)) {
    return { on: "gave-up", metadata: { attempt: attempt.number, reason: error.message } };
  }
  return deferOrFail(attempt, { attempt: attempt.number, reason: "the message could not be composed" });
}

function attemptMetadata(attempt: Attempt): Record<string, unknown> {
  const duplicate = attempt.afterInterruption ? { possible_duplicate: true } : {};
  return { relay: attempt.relay, attempt: attempt.number, ...duplicate };
}

function replyMetadata(reply: Reply): Record<string, unknown> {
  return { dsn: reply.enhanced, response: formatReply(reply) };
}
