import type { MailCtx } from "../context.ts";
import { RECORDS_EVENTS } from "../db/people-flags.ts";

// A workspace that has had no mail yet has no row.
const SET = `
  INSERT INTO shard_workspaces (number, id, status, people) VALUES (?1, ?2, 'open', ${RECORDS_EVENTS})
  ON CONFLICT DO UPDATE SET people = people | ${RECORDS_EVENTS} WHERE NOT people & ${RECORDS_EVENTS}`;
const CLEAR = `UPDATE shard_workspaces SET people = people & ~${RECORDS_EVENTS} WHERE number = ?1 AND people & ${RECORDS_EVENTS}`;

/** Lets the service record all events of a workspace. */
export async function recordEventsOf(ctx: MailCtx, { number, id }: { number: number; id: string }): Promise<void> {
  await ctx.mail.prepare(SET).bind(number, id).run();
}

/**
 * Lets the service record only those events of a workspace that have no other record. A new need may have appeared since the caller looked, so the caller
 * looks again afterwards and begins again if so.
 */
export async function stopEventsOf(ctx: MailCtx, { number }: { number: number }): Promise<void> {
  await ctx.mail.prepare(CLEAR).bind(number).run();
}
