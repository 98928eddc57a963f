import type { MailCtx } from "../../platform/context.ts";
import type { Steps } from "../../platform/jobs/turns.ts";
import { releaseStopped } from "./rows.ts";

/** Stopped workspaces that are read at once, and workspaces whose rows one run releases. */
const MAX_STOPPED = 10_000;
const MAX_RELEASED = 100;

const FIND_STOPPED = `
  SELECT number, bulk_pause AS pause FROM workspaces WHERE bulk_paused_at IS NOT NULL AND deleted_at IS NULL LIMIT ?1`;

const CLEAR = `
  UPDATE shard_workspaces SET bulk_pause = 0
   WHERE bulk_pause > 0 AND number NOT IN (SELECT value->>'number' FROM json_each(?1))`;
const SET = `
  WITH j AS MATERIALIZED (SELECT value->>'number' AS number, value->>'pause' AS pause FROM json_each(?1))
  UPDATE shard_workspaces SET bulk_pause = j.pause FROM j
   WHERE shard_workspaces.number = j.number AND shard_workspaces.bulk_pause <> j.pause`;

// Steps from workspace to workspace in the index, so that one with many rows hides no other.
const FIND_RESUMED = `
  WITH RECURSIVE waiting (workspace) AS (
    SELECT min(stopped) FROM outbox WHERE stopped IS NOT NULL
    UNION ALL
    SELECT (SELECT min(stopped) FROM outbox WHERE stopped > w.workspace) FROM waiting w WHERE w.workspace IS NOT NULL)
  SELECT w.workspace FROM waiting w LEFT JOIN shard_workspaces s ON s.number = w.workspace
   WHERE w.workspace IS NOT NULL AND coalesce(s.bulk_pause, 0) = 0 LIMIT ?1`;

/**
 * Copies the pauses of the main database to the mail database, and releases rows of workspaces that are not stopped any more.
 * Repairs what a crash between the two databases left; a resume that meets it takes effect by the next run.
 */
export async function* copyPauses(ctx: MailCtx): Steps {
  const { results: stopped } = await ctx.db
    .prepare(FIND_STOPPED)
    .bind(MAX_STOPPED)
    .all<{ number: number; pause: number }>();
  const db = ctx.mail;
  const all = JSON.stringify(stopped);
  const [, , found] = await db.batch([
    db.prepare(CLEAR).bind(all),
    db.prepare(SET).bind(all),
    db.prepare(FIND_RESUMED).bind(MAX_RELEASED),
  ]);
  for (const { workspace } of (found?.results ?? []) as { workspace: number }[]) {
    yield;
    while (await releaseStopped(ctx, workspace)) yield;
  }
}
