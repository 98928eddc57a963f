import type { ClaimedMail } from "../claim/index.ts";
import { type HandOver, isOpen, type Job } from "../hand-over/index.ts";
import { EGRESS_WAIT_MAX_MS } from "../rules.ts";
import { waitedTooLong, waitsForReceiver } from "./outcome.ts";
import type { DeliveryUpdate } from "./pending-updates.ts";
import { type AttemptCtx, recipientsToTry, toUpdate } from "./to-update.ts";

/**
 * Returns the update of an attempt with these results of its external recipients, in order; null for those that the run ended
 * before. While the egress holds the email for one of them, the email keeps its outbox row, and those that are to be tried later
 * wait for its report. Pure, apart from the ids of `ctx`.
 */
export function updateOfResults(
  ctx: AttemptCtx,
  job: Omit<Job, "claim">,
  {
    results,
    message: { untrackedLinks },
  }: { results: readonly (HandOver | null)[]; message: { untrackedLinks: number } },
): DeliveryUpdate {
  const now = ctx.now();
  const resultOf = new Map(job.external.map((recipient, index) => [recipient, results[index] ?? null]));
  const isHeld = results.some((result) => result?.kind === "held");
  // The results of simulated recipients are not among them.
  const open = job.external.filter((recipient) => {
    const result = resultOf.get(recipient);
    if (result?.kind === "paced") return !isHeld && !isTooLate(job, now);
    return !result || result.kind === "held";
  });
  const update = toUpdate(
    ctx,
    { ...job, untrackedLinks },
    (recipient, attempt) => {
      const result = resultOf.get(recipient) ?? null;
      if (result?.kind === "paced" && isTooLate(job, now)) return waitedTooLong(attempt, result);
      if (result?.kind === "paced")
        return waitsForReceiver(attempt, { reason: `${result.label}: ${result.reason}`, nextAt: now + result.waitMs });
      return result && isOpen(result) ? null : result;
    },
    recipientsToTry(job).filter((recipient) => !job.recorded.has(recipient) && !open.includes(recipient)),
  );
  if (isHeld) return { ...update, next: undefined, isHeld, isAccepted: true };
  if (update.next || open.length === 0) return update;
  // Those that the run ended before are tried at once by the next, or with those that were deferred.
  const paced = open.map((recipient) => resultOf.get(recipient)).filter((result) => result?.kind === "paced");
  const waitMs = paced.length < open.length ? 0 : Math.max(...paced.map((result) => result?.waitMs ?? 0));
  const isPaced = update.facts.length === 0 && waitMs > 0;
  return { ...update, next: now + waitMs, isPaced };
}

/** Returns whether an email has waited for so long for the pace of a receiver that it fails. */
export const isTooLate = ({ mail }: { mail: Pick<ClaimedMail, "queuedAt"> }, now: number) =>
  now - mail.queuedAt >= EGRESS_WAIT_MAX_MS;
