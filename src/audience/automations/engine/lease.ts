import type { MailCtx } from "../../../platform/context.ts";
import { expectChanges } from "../../../platform/db/batch.ts";
import { mailDb } from "../../../platform/db/client.ts";
import type { MailStatement } from "../../../platform/db/database.ts";

/** A run of the engine of a mail database that takes longer without a page has ended, in milliseconds. */
const LEASE_MS = 60_000;

/** The lease of the one run that moves the runs of a mail database. */
export interface EngineLease {
  token: string;
}

const CLAIM = "UPDATE automation_engine SET token = ?1, until = ?3 WHERE token IS NULL OR until <= ?2";

/** Claims the engine of the mail database. Returns null while another run has it. */
export async function claimEngine(ctx: MailCtx): Promise<EngineLease | null> {
  const token = ctx.newId();
  const now = ctx.now();
  const { meta } = await mailDb(ctx)
    .prepare(CLAIM)
    .bind(token, now, now + LEASE_MS)
    .run();
  return meta.changes === 1 ? { token } : null;
}

/**
 * Returns the statements that renew the lease, for the start of a batch: it is rolled back with ConcurrencyError when another run has
 * the engine by now. So no two runs ever write moves, or read events past each other.
 */
export function renewStatements(ctx: MailCtx, { token }: EngineLease): MailStatement[] {
  const db = mailDb(ctx);
  return [
    db.prepare("UPDATE automation_engine SET until = ?2 WHERE token = ?1").bind(token, ctx.now() + LEASE_MS),
    expectChanges(db, 1),
  ];
}

/** SQL of conditions under which the engine has something to do at ?1 (ms since 1970). Seeks in indexes. */
export const HAS_AUTOMATION_WORK_SQL = `(
  EXISTS (SELECT 1 FROM automation_runs WHERE due_at <= ?1)
  OR (SELECT coalesce(max(n), 0) FROM events) > (SELECT last_event FROM automation_engine)
  OR EXISTS (SELECT 1 FROM automations WHERE sweep IS NOT NULL))`;

const LOOK = `SELECT ${HAS_AUTOMATION_WORK_SQL} AS has_work, (SELECT min(due_at) FROM automation_runs WHERE due_at IS NOT NULL) AS next`;

/**
 * Gives the engine back. Returns whether there is work by then, in the same transaction: a wake-up that found the engine taken came
 * before it; and when the next run is due, in milliseconds since 1970, or null.
 */
export async function releaseEngine(
  ctx: MailCtx,
  { token }: EngineLease,
): Promise<{ hasWork: boolean; next: number | null }> {
  const db = mailDb(ctx);
  const [, found] = await db.batch<{ has_work: 0 | 1; next: number | null }>([
    db.prepare("UPDATE automation_engine SET token = NULL, until = 0 WHERE token = ?1").bind(token),
    db.prepare(LOOK).bind(ctx.now()),
  ]);
  const row = found?.results[0];
  return { hasWork: row?.has_work === 1, next: row?.next ?? null };
}
