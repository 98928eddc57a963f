import type { Ticket } from "../../../mail/egress-tickets/ticket.ts";
import { type EmailState, isPending, recipientKey } from "../../emails/index.ts";

/** When an email whose receiver did not say is tried again, in ms. */
const SOON_MS = 60_000;

/**
 * Returns whether nothing of an email is left to the egress in the attempt of a ticket: each recipient has an outcome, was given
 * back in this report, or was deferred in this attempt. A recipient that a run has not handed over yet is left to it. Pure.
 */
export function isSettled(
  { recipients, events }: Pick<EmailState, "recipients" | "events">,
  { attempt }: Pick<Ticket, "attempt">,
  givenBack: ReadonlySet<string>,
): boolean {
  const isDeferred = (email: string) =>
    events.some(
      ({ type, metadata }) => type === "deferred" && metadata?.recipient === email && metadata.attempt === attempt,
    );
  return recipients.every((recipient) => {
    if (!isPending(recipient.state)) return true;
    return recipient.state === "queued" && (givenBack.has(recipientKey(recipient)) || isDeferred(recipient.email));
  });
}

/** Returns when recipients of an email that are left are tried again: when the last `deferred` event announced it, else soon. Pure. */
export function lastAnnounced({ events, recipients }: EmailState, now: number): number {
  if (!recipients.some(({ state }) => isPending(state))) return now;
  const text = events.findLast(({ type }) => type === "deferred")?.metadata?.next_attempt_at;
  const announced = typeof text === "string" ? Date.parse(text) : Number.NaN;
  return announced > now ? announced : now + SOON_MS;
}
