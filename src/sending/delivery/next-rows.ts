import type { Lease, RescheduledRow } from "../../platform/outbox/index.ts";
import type { EmailState, EmailUpdate } from "../emails/index.ts";
import type { ClaimedMail } from "./claim.ts";
import type { PendingUpdate } from "./pending-updates.ts";

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

/** Moves a retry time that equals the lease's end: the new row would have the key of the claimed row it replaces. */
export function avoidLeaseEnd(update: EmailUpdate, lease: Lease): EmailUpdate {
  if (update.next?.dueAt !== lease.until) return update;
  return { ...update, next: { ...update.next, dueAt: update.next.dueAt + 1 } };
}

function nextRow({ state: { id, n }, outboxId, claims }: ClaimedMail): Omit<RescheduledRow, "dueAt"> {
  return { id, ref: JSON.stringify([n]), from: outboxId, claims: claims > 1 ? 1 : 0, outage: null };
}
