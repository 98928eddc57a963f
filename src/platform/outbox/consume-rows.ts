import type { DatabaseKind, OutboxCtx, WakeUp } from "../context.ts";
import { isOfStatement } from "../db/repeat-call.ts";
import { type ClaimedRow, claimOrFindHeld, claimStatements } from "./claim.ts";
import { attemptApart } from "./halves.ts";
import { finishStatement, type Lease, newLease, releaseStatement } from "./lease.ts";
import { quarantineRow } from "./quarantine.ts";
import { CLAIM_ROWS } from "./rules.ts";

/** When a row is due again, in milliseconds since 1970. */
interface Again {
  dueAt: number;
  /** Sends a queue message for the row; else the sweep finds it. */
  wakes?: boolean;
  /** The claims of a row count its attempts. */
  keepsClaims?: boolean;
}

/** The end of the work on a row: it is done, goes on, or has ended the row itself. */
export type RowEnd = "done" | "ended" | Again;

/** Longest delay of a queue message (Queues limits), in milliseconds. The sweep finds a row that is due later. */
const MAX_DELAY_MS = 12 * 3_600_000;

/**
 * Claims rows, except those that another run holds, and works on one after the other, at most CLAIM_ROWS. `mayStart` tells before each
 * whether it may start; a message wakes a run for the rest. A row whose work fails by its content is set aside (docs/decisions.md); after
 * another error its lease ends, and the sweep finds it. No row keeps another from being worked on: throws the first error at the end.
 */
export async function consumeRows<Kind extends DatabaseKind>(
  ctx: OutboxCtx<Kind>,
  wakeUps: readonly WakeUp[],
  work: (row: ClaimedRow, lease: Lease) => Promise<RowEnd>,
  mayStart: (started: number) => boolean = () => true,
): Promise<void> {
  const errors: unknown[] = [];
  let started = 0;
  for (const wakeUp of wakeUps.slice(0, CLAIM_ROWS)) {
    if (!mayStart(started)) break;
    started += 1;
    const lease = newLease(ctx);
    let token: string | null = null;
    try {
      const [row] = await claimRows(ctx, [wakeUp], lease);
      if (!row) continue;
      token = lease.token;
      await endRow(ctx, row, lease, await work(row, lease));
    } catch (error) {
      ctx.log("outbox.row_failed", { kind: wakeUp.kind, id: wakeUp.id, error: String(error) });
      if (isOfStatement(error)) await quarantineRow(ctx, { id: wakeUp.id, token }, error);
      else errors.push(error);
    }
  }
  if (wakeUps.length > started) await ctx.wake(wakeUps.slice(started));
  if (errors.length > 0) throw errors[0];
}

/** Ends the claim of a row as its work tells. */
async function endRow<Kind extends DatabaseKind>(
  ctx: OutboxCtx<Kind>,
  { id, kind }: ClaimedRow,
  lease: Lease,
  end: RowEnd,
): Promise<void> {
  if (end === "ended") return;
  if (end === "done") return void (await finishStatement(ctx, lease, [id]).run());
  const { dueAt, wakes, keepsClaims } = end;
  await releaseStatement(ctx, lease, [id], dueAt, keepsClaims).run();
  const wait = Math.max(0, dueAt - ctx.now());
  if (wakes && wait <= MAX_DELAY_MS)
    await ctx.wake([{ dueAt, id, kind: kind as WakeUp["kind"] }], Math.ceil(wait / 1_000));
}

/**
 * Claims rows, except those that another run holds, and works on all of them at once. `work` returns the ids of the rows that are done;
 * the leases of the others end. When it fails by the content of a row, that is set aside.
 */
export async function consumeTogether<Kind extends DatabaseKind>(
  ctx: OutboxCtx<Kind>,
  wakeUps: readonly WakeUp[],
  work: (rows: readonly ClaimedRow[]) => Promise<readonly string[]>,
): Promise<void> {
  const lease = newLease(ctx);
  const rows = await claimRows(ctx, wakeUps.slice(0, CLAIM_ROWS), lease);
  if (rows.length === 0) return;
  const done: string[] = [];
  const attempt = async (some: readonly ClaimedRow[]) => void done.push(...(await work(some)));
  const setAside = ({ id }: ClaimedRow, error: unknown) => quarantineRow(ctx, { id, token: lease.token }, error);
  await attemptApart(rows, attempt, setAside).finally(() => finishStatement(ctx, lease, done).run());
}

/** Claims these rows, also when the connection to D1 is lost. */
function claimRows<Kind extends DatabaseKind>(
  ctx: OutboxCtx<Kind>,
  rows: readonly WakeUp[],
  lease: Lease,
): Promise<ClaimedRow[]> {
  const { claim, find } = claimStatements(ctx, rows, lease, { addsDue: false });
  return claimOrFindHeld(
    ctx,
    async () => (await claim.all<ClaimedRow>()).results,
    async () => {
      const { results: held } = await find.all<ClaimedRow>();
      return held.length > 0 ? held : null;
    },
  );
}
