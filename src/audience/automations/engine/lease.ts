import type { MailCtx, MailStatement } from "../../../platform/context.ts";
import { allTurns } from "../../../platform/db/workspace-turns.ts";

/** A run of the engine of a mail database that takes longer without a page has ended, in milliseconds. */
const LEASE_MS = 30_000;

/** The lease of the one run that moves the runs of a mail database. */
export interface EngineLease {
  token: string;
}

const CLAIM = "UPDATE automation_engine SET token = ?1, until = ?3 WHERE token IS NULL OR until <= ?2";

/** Claims the engine of the mail database. Returns null while another run has it. */
export async function claimEngine(ctx: MailCtx): Promise<EngineLease | null> {
  const token = ctx.newId();
  const now = ctx.now();
  const { meta } = await ctx.mail.execute(CLAIM, token, now, now + LEASE_MS);
  return meta.changes === 1 ? { token } : null;
}

/**
 * Ends a lease that was taken before `startedAt` (milliseconds since 1970). Call it only where no run from before that time can be alive,
 * as after a restart of `npm start`; elsewhere leases expire.
 */
export async function releaseEngineLease(ctx: MailCtx, startedAt: number): Promise<void> {
  await ctx.mail.execute("UPDATE automation_engine SET token = NULL, until = 0 WHERE until < ?1", startedAt + LEASE_MS);
}

// Half of the lease is left after a write of it, so most pages write nothing.
const RENEW = "UPDATE automation_engine SET until = ?2 WHERE token = ?1 AND until < ?3";
// `json` fails on a text that is not JSON, which rolls back the batch.
const HOLD =
  "SELECT CASE WHEN NOT EXISTS (SELECT 1 FROM automation_engine WHERE token = ?1) THEN json('lost race') END";

/**
 * Returns the statements that hold the engine, for the start of a batch, and renew the lease when half of it is over. The batch is rolled
 * back with ConcurrencyError when another run has the engine by now: no two runs ever write moves, or read events past each other.
 */
export function renewStatements(ctx: MailCtx, { token }: EngineLease): MailStatement[] {
  const db = ctx.mail;
  const now = ctx.now();
  return [db.prepare(RENEW).bind(token, now + LEASE_MS, now + LEASE_MS / 2), db.prepare(HOLD).bind(token)];
}

/** Runs that wait or are due, as an index has them. */
export const WAITING_RUNS = "automation_runs WHERE due_at IS NOT NULL";

/** SQL of the time at which the first run is due, or NULL. Reads two index entries for each workspace with runs that wait. */
const NEXT_DUE = `(WITH RECURSIVE ${allTurns(WAITING_RUNS)} SELECT min((
    SELECT min(due_at) FROM ${WAITING_RUNS} AND workspace = t.workspace)) FROM turns t WHERE t.workspace IS NOT NULL)`;

const HAS_OTHER_WORK = `EXISTS (SELECT 1 FROM unread_events WHERE not_before <= ?1) OR EXISTS (SELECT 1 FROM automations WHERE sweep IS NOT NULL)`;

/** SQL of conditions under which the engine has something to do at ?1 (ms since 1970). Seeks in indexes. */
export const HAS_AUTOMATION_WORK_SQL = `(${NEXT_DUE} <= ?1 OR ${HAS_OTHER_WORK})`;

const LOOK = `SELECT ${HAS_OTHER_WORK} AS has_work, ${NEXT_DUE} AS next`;

// No event up to `last_event` is unread (migrations/mail/0270_event_turns.sql).
const RELEASE = `
  UPDATE automation_engine SET token = NULL, until = 0,
    last_event = iif(EXISTS (SELECT 1 FROM unread_events), last_event, coalesce((SELECT max(n) FROM events), last_event))
   WHERE token = ?1`;

/**
 * Gives the engine back. Returns when it has work by then, in milliseconds since 1970, or null, in the same transaction: a wake-up that found
 * the engine taken came before it.
 */
export async function releaseEngine(ctx: MailCtx, { token }: EngineLease): Promise<number | null> {
  const db = ctx.mail;
  const now = ctx.now();
  const [, found] = await db.batch<{ has_work: 0 | 1; next: number | null }>([
    db.prepare(RELEASE).bind(token),
    db.prepare(LOOK).bind(now),
  ]);
  const row = found?.results[0];
  return row?.has_work === 1 ? now : (row?.next ?? null);
}
