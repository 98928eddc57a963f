import type { Ctx, MainStatement, OutboxCtx, WakeUp } from "../../platform/context.ts";

/** The `ref` of an outbox row of kind `transfer` in the main database. */
export type TransferRef =
  /** Mails the accept link of a transfer. */
  | { acceptLink: string }
  /** Mails a stop link of the transfer to an owner of the source workspace. */
  | { stopLink: string; owner: string }
  /** Tells the recipient of a transfer that the source workspace has ended it (also platform/outbox). */
  | { withdrawn: string }
  /** Does what is due for the transfer of this domain, unless the alarm of its object did. */
  | { deadline: string }
  | CleanUp;

/** Cancels what the source workspace scheduled from domains that it gave away (clean-up.ts). */
export interface CleanUp {
  cleanUp: { workspace: number; domains: string[]; names: string[]; completedAt: number };
}

const INSERT = `
  INSERT INTO outbox (due_at, id, kind, ref)
  SELECT value->>'dueAt', value->>'id', 'transfer', value->>'ref' FROM json_each(?1)`;

/** Returns the statement that adds outbox rows, for the batch that causes them, and the wake-ups to send after it. */
export function addOutboxRows(
  ctx: Ctx,
  refs: readonly { dueAt: number; ref: TransferRef }[],
): { statement: MainStatement; wakeUps: WakeUp[] } {
  const rows = refs.map(({ dueAt, ref }) => ({ dueAt, id: ctx.newId(), ref: JSON.stringify(ref) }));
  return {
    statement: ctx.db.prepare(INSERT).bind(JSON.stringify(rows)),
    wakeUps: rows.map(({ dueAt, id }) => ({ dueAt, id, kind: "transfer" as const })),
  };
}

/** Sends queue messages for those of the rows that are due. */
export async function wakeDue(ctx: OutboxCtx<"main">, wakeUps: readonly WakeUp[]): Promise<void> {
  const due = wakeUps.filter(({ dueAt }) => dueAt <= ctx.now());
  if (due.length > 0) await ctx.wake(due);
}
