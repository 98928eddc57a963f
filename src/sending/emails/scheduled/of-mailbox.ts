import type { CallerCtx } from "../../../access/caller.ts";
import { listScheduledOf } from "../queries.ts";
import { type ScheduledOut, toScheduledRecord } from "./schema.ts";

/** Scheduled emails of a mailbox in one response. */
const MAX_EMAILS = 1_000;

/** Returns the scheduled emails of a mailbox, soonest first, at most 1,000. */
export async function listScheduledOfMailbox(ctx: CallerCtx, mailboxId: string): Promise<ScheduledOut[]> {
  const rows = await listScheduledOf(ctx, mailboxId, MAX_EMAILS);
  return rows.map((row) => toScheduledRecord(row, ctx.now()));
}
