import type { MailCtx } from "../../context.ts";
import { mailDb } from "../../db/client.ts";
import type { MailStatement } from "../../db/database.ts";
import { runToEnd, type Steps } from "../../turns.ts";
import { packContents, type RowContent, setContentKeyStatement } from "./pack.ts";

/** Documents of one step: at most 4 MB of the isolate's 128 MB, since a row holds at most 16 KiB. */
const EMAILS_PER_STEP = 250;
/** Emails that one step passes over; most of them have their content in R2 already. */
const EMAILS_SCANNED = 5_000;
/** Steps of one run, of three statements each; the next run continues. */
const MAX_STEPS = 100;
/** Younger emails are left to their delivery, which may move their content without a write of its own. */
const MIN_AGE_MS = 60_000;

const FIND_LAST = `
  SELECT max(n) AS n FROM (
    SELECT n FROM emails WHERE n > (SELECT n FROM content_progress) AND created_at < ?1 ORDER BY n LIMIT ?2)`;

const FIND_CONTENTS = `
  SELECT n, workspace, id, content FROM emails
   WHERE n > (SELECT n FROM content_progress) AND n <= ?1 AND content IS NOT NULL AND content_key IS NULL
   ORDER BY n LIMIT ?2`;

const FIND_WORKSPACE_IDS = "SELECT number, id FROM shard_workspaces WHERE number IN (SELECT value FROM json_each(?1))";

// Emails may have been deleted since they were read.
const SAVE_PROGRESS = "UPDATE content_progress SET n = min(?1, coalesce((SELECT max(n) FROM emails), 0)) WHERE n < ?1";

/** Content in the row of an email, with the number of its workspace. */
type WorkspaceContent = RowContent & { workspace: number };

/**
 * Moves the content that deliveries left in the rows of emails to R2: one object for the emails of a workspace in a
 * step, and one statement for all of them. Walks the emails in the order of n. Safe to interrupt and to run concurrently.
 */
export async function* offloadSteps(ctx: MailCtx): Steps {
  for (let step = 0; step < MAX_STEPS; step++) {
    const last = await mailDb(ctx)
      .prepare(FIND_LAST)
      .bind(ctx.now() - MIN_AGE_MS, EMAILS_SCANNED)
      .first<number | null>("n");
    if (last === null) return;
    const { results } = await mailDb(ctx).prepare(FIND_CONTENTS).bind(last, EMAILS_PER_STEP).all<WorkspaceContent>();
    const puts = await offloadStep(ctx, results, results.length < EMAILS_PER_STEP ? last : (results.at(-1)?.n ?? last));
    if (ctx.limits) ctx.limits.objectReads -= puts;
    yield;
  }
}

/** Runs all steps of `offloadSteps`. */
export function offloadContent(ctx: MailCtx): Promise<void> {
  return runToEnd(offloadSteps(ctx));
}

/** Moves these contents and saves the progress in one transaction. Returns the number of R2 puts. */
async function offloadStep(ctx: MailCtx, emails: readonly WorkspaceContent[], progress: number): Promise<number> {
  const ofWorkspace = [...Map.groupBy(emails, ({ workspace }) => workspace)];
  const ids = await findWorkspaceIds(
    ctx,
    ofWorkspace.map(([number]) => number),
  );
  const packs = ofWorkspace.map(([number, group]) => {
    const id = ids.get(number);
    return id === undefined ? [] : packContents(ctx, id, group);
  });
  const moved = (await Promise.all(packs)).flat();
  await mailDb(ctx).batch([
    ...(moved.length > 0 ? [setContentKeyStatement(ctx, moved)] : []),
    mailDb(ctx).prepare(SAVE_PROGRESS).bind(progress),
  ]);
  return packs.length;
}

/** Returns the ids of workspaces by number. */
async function findWorkspaceIds(ctx: MailCtx, numbers: readonly number[]): Promise<Map<number, string>> {
  if (numbers.length === 0) return new Map();
  const { results } = await mailDb(ctx)
    .prepare(FIND_WORKSPACE_IDS)
    .bind(JSON.stringify(numbers))
    .all<{ number: number; id: string }>();
  return new Map(results.map(({ number, id }) => [number, id]));
}

/**
 * Returns the statement that lowers the progress to the greatest `n` left. Every batch that deletes emails runs it:
 * SQLite assigns the greatest deleted numbers again.
 */
export function rewindContentProgressStatement(ctx: Pick<MailCtx, "outbox">): MailStatement {
  return mailDb(ctx).prepare(
    "UPDATE content_progress SET n = coalesce((SELECT max(n) FROM emails), 0) WHERE n > coalesce((SELECT max(n) FROM emails), 0)",
  );
}
