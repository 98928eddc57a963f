import type { Lease, Leaving, NextRow } from "../../../platform/outbox/lease.ts";
import type { EmailState, EmailUpdate } from "../../emails/index.ts";
import type { ClaimedMail } from "../claim/index.ts";
import type { PendingUpdate } from "./pending-updates.ts";
import { isSettled, lastAnnounced } from "./settled.ts";

/** By id of a claimed row: numbers of its emails without a written outcome. */
type Unfinished = ReadonlyMap<string, ReadonlySet<number>>;

/** Returns the rows whose emails all have an outcome once these have. Pure. */
export function doneRows(mails: readonly ClaimedMail[], unfinished: Unfinished): string[] {
  const numbers = new Set(mails.map(({ state }) => state.n));
  const rows = new Set(mails.map(({ outboxId }) => outboxId));
  return [...rows].filter((id) => [...(unfinished.get(id) ?? [])].every((n) => numbers.has(n)));
}

/** Returns the emails that were not attempted although the egress holds others of their rows. Pure. */
export function untriedBesideHeld(
  unfinished: Unfinished,
  { held, attempted }: Record<"held" | "attempted", ReadonlySet<number>>,
): number[] {
  return [...unfinished.values()]
    .filter((numbers) => [...numbers].some((n) => held.has(n)))
    .flatMap((numbers) => [...numbers].filter((n) => !attempted.has(n)));
}

/** The changes of a flush in the outbox for its emails. */
interface Moves {
  /** The rows of their next attempts. */
  next: NextRow[];
  /** Emails that leave rows which others need still. */
  leaving: Leaving[];
}

/**
 * Returns what the new state of an email changes in the outbox: the row of its next attempt, if it stays queued, and that it leaves a shared
 * row at once. An email that only waits for the pace of its receivers does: nothing else is written of it. One that an egress holds does
 * once that has told all. `now` in milliseconds since 1970. Pure.
 */
export function movesOf(state: EmailState, update: PendingUpdate | undefined, { token }: Lease, now: number): Moves {
  if (!update) return { next: [], leaving: [] };
  const { mail, isPart, isHeld, isUnreachable } = update;
  const { outboxId: row, claims } = mail;
  const isReported = isHeld === true && isSettled(state, update, NONE);
  if (isPart && !isReported) return { next: [], leaving: [] };
  const outage = isUnreachable ? "waiting" : null;
  const { id, n } = state;
  const own = { id, ref: JSON.stringify([n]), from: row, token, claims: claims > 1 ? (1 as const) : (0 as const) };
  const isLeaving = isLeavingAtOnce(state, update);
  const dueAt = (isLeaving ? update.next : state.dueAt) ?? now;
  return {
    next: isLeaving || state.status === "queued" ? [{ ...own, dueAt, outage }] : [],
    leaving: isReported || isLeaving ? [{ row, token, n }] : [],
  };
}

/** The rest that is known of an email which an egress held under an earlier lease does not change while it waits. */
const isLeavingAtOnce = ({ recipients }: EmailState, { isPaced, next }: PendingUpdate) =>
  isPaced === true || (next !== undefined && recipients.some(({ state }) => state === "held"));

/**
 * Returns an update with the state that it changes and when the next row of the email is due. An email that the egress holds has one once
 * that has told the rest. Pure.
 */
export function withNextRow(
  { mail: _, next, ...update }: PendingUpdate,
  state: EmailState,
  now: number,
): EmailUpdate & Pick<PendingUpdate, "isAccepted" | "isUnreachable"> {
  if (update.isPaced) return { ...update, state };
  if (!update.isHeld) return { ...update, state, next };
  const nextOf = (changed: EmailState) => (isSettled(changed, update, NONE) ? lastAnnounced(changed, now) : undefined);
  return { ...update, state, next: nextOf };
}

const NONE: ReadonlySet<string> = new Set();
