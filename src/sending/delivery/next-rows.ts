import type { Lease, RescheduledRow } from "../../platform/outbox/lease.ts";
import type { EmailState, EmailUpdate } from "../emails/index.ts";
import type { ClaimedMail } from "./claim.ts";
import type { PendingUpdate } from "./pending-updates.ts";
import { isSettled, lastAnnounced } from "./settled.ts";

/** Returns the outbox row of the next attempt of an email, or none when there is none. Pure. */
export function rescheduledRows(
  state: EmailState,
  mail: ClaimedMail | undefined,
  isUnreachable: boolean,
): RescheduledRow[] {
  if (state.status !== "queued" || state.dueAt === null || !mail) return [];
  const outage = isUnreachable ? "waiting" : null;
  return [{ ...nextRow(mail), dueAt: state.dueAt, outage }];
}

/** By id of a claimed row: numbers of its emails without a written outcome. */
type Unfinished = ReadonlyMap<string, ReadonlySet<number>>;

/** Returns the rows of these emails whose emails all have an outcome. Pure. */
export function doneRows(mails: readonly ClaimedMail[], unfinished: Unfinished): string[] {
  const rows = new Set(mails.map(({ outboxId }) => outboxId));
  return [...rows].filter((id) => unfinished.get(id)?.size === 0);
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

/**
 * The rows of emails that wait for the pace of their receivers, of which nothing else is written, and of those that an egress held
 * under an earlier lease: what is known of these does not change while they wait.
 */
interface PacedRows {
  rows: RescheduledRow[];
  /** By emails.n. */
  numbers: ReadonlySet<number>;
  /** By id of a row that others need still: the emails that leave it. */
  shared: (readonly [string, number[]])[];
}

/** Returns the rows of the emails among these that wait, in these new states, when the rows `done` are finished. Pure. */
export function pacedRows(
  updates: readonly PendingUpdate[],
  states: readonly EmailState[],
  { done, lease }: { done: readonly string[]; lease: Lease },
): PacedRows {
  const held = new Set(states.flatMap(({ n, recipients }) => (recipients.some(isHeld) ? [n] : [])));
  const paced = updates.filter(
    ({ isPaced, isPart, next, mail: { state } }) => isPaced || (!isPart && next !== undefined && held.has(state.n)),
  );
  const rows = paced.map(({ mail, next, isUnreachable }) => {
    const dueAt = next?.dueAt ?? 0;
    const outage = isUnreachable ? ("waiting" as const) : null;
    // The row of a lone email has its id too, and another key only by its time.
    return { ...nextRow(mail), outage, dueAt: dueAt === lease.until ? dueAt + 1 : dueAt };
  });
  const left = Map.groupBy(paced, ({ mail }) => mail.outboxId);
  const shared = [...left].filter(([id]) => !done.includes(id));
  return {
    rows,
    numbers: new Set(paced.map(({ mail }) => mail.state.n)),
    shared: shared.map(([id, group]) => [id, group.map(({ mail }) => mail.state.n)]),
  };
}

const isHeld = ({ state }: EmailState["recipients"][number]) => state === "held";

/**
 * Returns an update with the state that it changes and the key of the email's next row, whose time is not the lease's end: that
 * would be the key of the claimed row which it replaces. An email that the egress holds has one once that has told the rest. Pure.
 */
export function withNextRow(
  { mail: _, next, ...update }: PendingUpdate,
  state: EmailState,
  { lease, now }: { lease: Lease; now: number },
): EmailUpdate & Pick<PendingUpdate, "isAccepted" | "isUnreachable"> {
  const rowAt = (dueAt: number) => ({ dueAt: dueAt === lease.until ? dueAt + 1 : dueAt, outboxId: null });
  if (update.isPaced) return { ...update, state };
  if (!update.isHeld) return { ...update, state, next: next && rowAt(next.dueAt) };
  const nextOf = (changed: EmailState) =>
    isSettled(changed, update, NONE) ? rowAt(lastAnnounced(changed, now)) : undefined;
  return { ...update, state, next: nextOf };
}

const NONE: ReadonlySet<string> = new Set();

function nextRow({ state: { id, n }, outboxId, claims }: ClaimedMail): Omit<RescheduledRow, "dueAt"> {
  return { id, ref: JSON.stringify([n]), from: outboxId, claims: claims > 1 ? 1 : 0, outage: null };
}
