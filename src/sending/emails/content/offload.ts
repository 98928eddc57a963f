import type { MailCtx, MailStatement } from "../../../platform/context.ts";
import type { Steps } from "../../../platform/jobs/turns.ts";
import { blankUnset, MIN_PACKED_EMAILS, packContents, type RowContent, setContentKeyStatement } from "./pack.ts";

/** Documents of one step: at most 4 MB of the isolate's 128 MB, since a row holds at most 16 KiB. */
const EMAILS_PER_STEP = 250;
/** Emails that are grouped by workspace at once; most of them have their content in R2 already. */
const EMAILS_PER_WINDOW = 20_000;
/** Steps of one run, of three statements each; the next run continues. */
const MAX_STEPS = 100;
/** Younger emails are left to their delivery, which may move their content without a write of its own. */
const MIN_AGE_MS = 60_000;
/**
 * Lone emails are packed with those of three days. An R2 put costs as much as 8 KB for 22 days in D1 (Cloudflare's prices),
 * so a workspace with five such emails a day costs least then.
 */
const LONE_AGE_MS = 72 * 3_600_000;

const FIND_PROGRESS = `
  SELECT n, swept_n AS sweptN, (SELECT created_at FROM emails WHERE n > swept_n ORDER BY n LIMIT 1) AS unsweptSince
    FROM content_progress`;

const FIND_LAST = `
  SELECT max(n) AS last, count(*) AS emails FROM (
    SELECT n FROM emails WHERE n > ?1 AND created_at < ?2 ORDER BY n LIMIT ?3)`;

const FIND_WAITING = `
  SELECT n, workspace FROM emails WHERE n > ?1 AND n <= ?2 AND content IS NOT NULL AND content_key IS NULL ORDER BY n`;

const FIND_CONTENTS = `
  SELECT e.n, e.workspace, e.id, e.content, w.id AS workspaceId
    FROM json_each(?1) j CROSS JOIN emails e ON e.n = j.value CROSS JOIN shard_workspaces w ON w.number = e.workspace
   WHERE e.content IS NOT NULL AND e.content_key IS NULL`;

// Emails may have been deleted since they were read.
const SAVE_PROGRESS = `
  WITH saved AS (SELECT min(?1, coalesce((SELECT max(n) FROM emails), 0)) AS n)
  UPDATE content_progress SET n = max(n, (SELECT n FROM saved)),
    swept_n = CASE WHEN ?2 THEN max(swept_n, (SELECT n FROM saved)) ELSE swept_n END`;

interface Progress {
  n: number;
  sweptN: number;
  /** When the oldest email after `sweptN` was created, in milliseconds since 1970. Null: there is none. */
  unsweptSince: number | null;
}

/**
 * Moves the content that deliveries left in the rows of emails to R2: one object for the emails of a workspace, and one
 * statement for 250 of them. Walks the emails in the order of n. A workspace with less than MIN_PACKED_EMAILS new emails
 * keeps theirs in the rows for three days, so that they share an object. Safe to interrupt and to run concurrently.
 */
export async function* offloadSteps(ctx: MailCtx): Steps {
  const progress = await ctx.mail.findRow<Progress>(FIND_PROGRESS);
  if (!progress || progress.unsweptSince === null) return;
  const isSweep = progress.unsweptSince < ctx.now() - LONE_AGE_MS;
  let from = isSweep ? progress.sweptN : progress.n;
  for (let steps = 0; steps < MAX_STEPS; ) {
    const window = await readWindow(ctx, from, isSweep);
    if (window === null) return;
    for (let at = 0; at < window.numbers.length; at += EMAILS_PER_STEP, steps++) {
      const puts = await offloadStep(ctx, window.numbers.slice(at, at + EMAILS_PER_STEP));
      if (ctx.limits) ctx.limits.objectReads -= puts;
      yield;
    }
    await ctx.mail.execute(SAVE_PROGRESS, window.last, Number(isSweep));
    from = window.last;
    steps++;
    yield;
  }
}

/** Returns the emails after `from`, up to `last`, whose content is moved. Null when the run ends here. */
async function readWindow(ctx: MailCtx, from: number, isSweep: boolean) {
  const db = ctx.mail;
  const parameters = [from, ctx.now() - MIN_AGE_MS, EMAILS_PER_WINDOW];
  const found = await db.findRow<{ last: number | null; emails: number }>(FIND_LAST, ...parameters);
  if (!found || found.last === null) return null;
  const waiting = await db.listRows<{ n: number; workspace: number }>(FIND_WAITING, from, found.last);
  const groups = [...Map.groupBy(waiting, ({ workspace }) => workspace).values()];
  const numbers = groups
    .filter(({ length }) => isSweep || length >= MIN_PACKED_EMAILS)
    .flatMap((group) => group.map(({ n }) => n));
  // A write for each lone email would cost more than reading the window again with the next ones.
  const isQuiet = numbers.length === 0 && !isSweep && found.emails < EMAILS_PER_WINDOW;
  return isQuiet ? null : { last: found.last, numbers };
}

/** Moves the content of these emails. Returns the number of R2 puts. */
async function offloadStep(ctx: MailCtx, numbers: readonly number[]): Promise<number> {
  const results = await ctx.mail.listRows<RowContent & { workspaceId: string }>(FIND_CONTENTS, JSON.stringify(numbers));
  const ofWorkspace = [...Map.groupBy(results, ({ workspaceId }) => workspaceId)];
  const packs = await Promise.all(ofWorkspace.map(([id, group]) => packContents(ctx, id, group)));
  const moved = packs.flat();
  if (moved.length > 0) {
    const { meta } = await setContentKeyStatement(ctx, moved).run();
    if (meta.changes < moved.length) await blankUnset(ctx, moved);
  }
  return packs.length;
}

/** Returns the statement that lowers the progress to the greatest `n` left. Batches that delete emails run it: SQLite reuses numbers. */
export function rewindContentProgressStatement(ctx: Pick<MailCtx, "mail">): MailStatement {
  return ctx.mail.prepare(`
    WITH left AS (SELECT coalesce(max(n), 0) AS n FROM emails)
    UPDATE content_progress SET n = min(n, (SELECT n FROM left)), swept_n = min(swept_n, (SELECT n FROM left))
     WHERE n > (SELECT n FROM left) OR swept_n > (SELECT n FROM left)`);
}
