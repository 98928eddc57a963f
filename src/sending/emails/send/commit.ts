import type { CallerCtx } from "../../../access/caller.ts";
import { AppError } from "../../../lib/errors.ts";
import { afterResponse } from "../../../platform/after-response.ts";
import type { MailStatement, WakeUp } from "../../../platform/context.ts";
import { ConcurrencyError, isRolledBack, repeatableBatch } from "../../../platform/db/batch.ts";
import { findResponse } from "../../../platform/idempotency/responses.ts";
import { toKeyedResponse } from "../../../platform/idempotency/store-responses.ts";
import { logEmails } from "../../../platform/log-lines/log-emails.ts";
import type { SentCopyRow } from "../../../platform/outbox/sent-copy.ts";
import { wakeAfterResponse } from "../../../platform/outbox/wake-after-response.ts";
import { dailyLimitOf, findDailyLimitError, withSandboxLimit } from "../../../platform/rate-limits/daily-emails.ts";
import { toWebhookEvents } from "../../../platform/webhook-events/rules.ts";
import { wakeWebhooks } from "../../../platform/webhook-events/wake.ts";
import { type Commit, commitStatements, toCommit } from "./commit-statements.ts";
import { CommitGatherer, type Gathered } from "./gather-commits.ts";
import type { NewEmail } from "./new-email.ts";

type GatheredCommit = Commit & Gathered;

const gatherer = new CommitGatherer<GatheredCommit>();

/** The rows that are committed with emails. */
interface CommitOptions {
  /** For the Idempotency-Key of the caller. */
  response: unknown;
  /** Key of the R2 object with their content, which is deleted when they are refused; null: it is in their rows, or left. */
  contentKey: string | null;
  copy?: SentCopyRow | null;
  /** Statements of the caller for the same transaction, which roll it back or are rolled back with it. */
  extra?: readonly MailStatement[];
}

/**
 * Commits accepted emails: their rows with the first events, outbox rows, a change row, the response to their request and the count of
 * the day, in one transaction, and wakes the queued ones. The 202 is returned after it. All emails but those of broadcasts are
 * committed here.
 *
 * Single emails of requests share transactions (CommitGatherer): while one waits for D1, further ones for the same mail database gather, and
 * the next transaction takes them all, whatever their workspaces. One that may not be written has no rows, and stops no
 * other. It is committed again alone, as are all of a transaction that failed, and those whose leader has ended. A transaction that had
 * written it all the same is found by its id. So each has the result that it has alone. Several emails, and those with `extra`,
 * have a transaction of their own.
 *
 * Throws ConcurrencyError when another call used the caller's Idempotency-Key meanwhile or the workspace was deleted, 429 beyond its daily
 * limit, 409 when the key was used for another request; nothing is written then.
 */
export async function commitEmails(
  ctx: CallerCtx,
  emails: readonly NewEmail[],
  { response, contentKey, copy = null, extra = [] }: CommitOptions,
): Promise<void> {
  const commit = await toGathered(ctx, emails, response, copy);
  // The service's own emails leave at once, by a wake-up of their own.
  const isShared = emails.length === 1 && extra.length === 0 && emails[0]?.source !== "system";
  try {
    const isWritten = isShared && (await commitShared(ctx, commit));
    if (!isWritten) await commitAlone(ctx, commit, extra, isShared);
  } catch (error) {
    // After any other error the rows may be committed all the same, and then they need their content.
    if (isRefusal(error) && contentKey !== null) await ctx.env.CONTENT.delete(contentKey);
    throw error;
  }
  const accepted = emails.map(({ id, status }) => ({ id, status }));
  logEmails(ctx, "emails.accepted", accepted, { workspace: ctx.workspace.id, source: emails[0]?.source });
}

/** Returns whether `commitEmails` has written nothing. */
export const isRefusal = (error: unknown): boolean => isRolledBack(error) || error instanceof AppError;

async function toGathered(
  ctx: CallerCtx,
  emails: readonly NewEmail[],
  response: unknown,
  copy: SentCopyRow | null,
): Promise<GatheredCommit> {
  const { workspace } = ctx;
  const limited = emails.some(({ isSandbox }) => isSandbox) ? withSandboxLimit(ctx, workspace) : workspace;
  const keyed = await toKeyedResponse(ctx, response);
  const commit = toCommit(workspace, emails);
  return {
    ...commit,
    limit: dailyLimitOf(ctx, limited),
    keyed,
    copy,
    events: emails.flatMap((email) => toWebhookEvents(null, { ...email, workspace: workspace.number }, email.events)),
    // A UTF-16 unit takes at most three bytes in UTF-8.
    bytes: 3 * commit.rows.reduce((total, row) => total + row.length, 0),
    repeatKey: keyed && `${workspace.number} ${keyed.keys[0]}`,
  };
}

/** Commits a single email by the next transaction. Returns false when it is to be committed alone. */
function commitShared(ctx: CallerCtx, commit: GatheredCommit): Promise<boolean> {
  const work = gatherer.commit(ctx.mail, commit, async (commits) => {
    if (commits.length > 1) return commitTogether(ctx, commits);
    await commitAlone(ctx, commit, [], false);
    return new Set([commit]);
  });
  // The request goes on when its client disconnects: others wait for the transaction that it leads.
  ctx.waitUntil?.(work.catch(() => {}));
  return work;
}

/** Commits single emails of any workspaces. Those of one share an outbox row. Returns those that were written. */
async function commitTogether(
  ctx: CallerCtx,
  commits: readonly GatheredCommit[],
): Promise<ReadonlySet<GatheredCommit>> {
  const sharing = shareOutboxRows(ctx, commits);
  const written = await write(ctx, sharing);
  const committed = sharing.filter((commit) => written.has(firstId(commit)));
  await wake(ctx, committed);
  return new Set(commits.filter((commit) => written.has(firstId(commit))));
}

/** Commits emails by a transaction of their own. `mayBeWritten`: one of several may have written them. Throws the refusal. */
async function commitAlone(
  ctx: CallerCtx,
  commit: Commit,
  extra: readonly MailStatement[],
  mayBeWritten: boolean,
): Promise<void> {
  try {
    if (!(await write(ctx, [commit], extra)).has(firstId(commit))) throw new ConcurrencyError();
  } catch (error) {
    const isWritten = mayBeWritten && (await findWritten(ctx, [commit])).size > 0;
    if (!isWritten) throw error instanceof ConcurrencyError ? await refusalOf(ctx, commit) : error;
  }
  await wake(ctx, [commit]);
}

/** Writes commits in one transaction. Returns the ids of the emails that were written. */
async function write(
  ctx: CallerCtx,
  commits: readonly Commit[],
  extra: readonly MailStatement[] = [],
): Promise<ReadonlySet<string>> {
  const statements = [...commitStatements(ctx, commits, extra.length > 0), ...extra];
  const results = await repeatableBatch(ctx, ctx.mail, statements);
  if (results === null) return findWritten(ctx, commits);
  return new Set(
    (results as D1Result<{ id?: string }>[]).flatMap((result) => result.results.flatMap(({ id }) => id ?? [])),
  );
}

const FIND_WRITTEN = `
  SELECT e.id FROM json_each(?1) j CROSS JOIN emails e ON e.workspace = j.value->>0 AND e.id = j.value->>1`;

/** Returns the first ids of those commits that are written. */
async function findWritten(ctx: CallerCtx, commits: readonly Commit[]): Promise<ReadonlySet<string>> {
  const places = JSON.stringify(commits.map((commit) => [commit.workspace.number, firstId(commit)]));
  const results = await ctx.mail.listRows<{ id: string }>(FIND_WRITTEN, places);
  return new Set(results.map(({ id }) => id));
}

const firstId = ({ ids: [first = ""] }: Commit): string => first;

/** Returns the error of a commit that was not written. One that repeats another gets the response of that, whatever the limit. */
async function refusalOf(ctx: CallerCtx, commit: Commit): Promise<Error> {
  const isRepeat = async () => ctx.idempotency && (await findResponse(ctx, ctx.idempotency)) !== null;
  if (commit.limit === null || (await isRepeat())) return new ConcurrencyError();
  const limited = { number: commit.workspace.number, dailyLimit: commit.limit };
  return (await findDailyLimitError(ctx, limited, commit.ids.length)) ?? new ConcurrencyError();
}

/** Gives the queued emails of one workspace one outbox row: one due time of all, and an id that a later attempt of none of them has. */
function shareOutboxRows(ctx: CallerCtx, commits: readonly GatheredCommit[]): GatheredCommit[] {
  const rowOf = new Map<number, { dueAt: number; outboxId: string }>();
  for (const { workspace, due } of commits)
    for (const { dueAt } of due.filter(({ isQueued }) => isQueued)) {
      const { outboxId, dueAt: first } = rowOf.get(workspace.number) ?? { outboxId: ctx.newId(), dueAt };
      rowOf.set(workspace.number, { outboxId, dueAt: Math.min(first, dueAt) });
    }
  return commits.map((commit) => ({
    ...commit,
    due: commit.due.map((one) => ({ ...one, ...(one.isQueued ? rowOf.get(commit.workspace.number) : {}) })),
  }));
}

/** Sends the queue messages for what was written. Those of a request wait for none of them. */
async function wake(ctx: CallerCtx, commits: readonly Commit[]): Promise<void> {
  // Emails of one chunk share an outbox row.
  const rows = new Map<string, WakeUp>();
  for (const { due, copy } of commits) {
    for (const { id, dueAt, outboxId, isQueued } of due)
      if (isQueued) rows.set(outboxId ?? id, { dueAt, id: outboxId ?? id, kind: "deliver" });
    if (copy && copy.dueAt <= ctx.now()) rows.set(copy.id, { dueAt: copy.dueAt, id: copy.id, kind: copy.kind });
  }
  if (rows.size > 0) await wakeAfterResponse(ctx, [...rows.values()]);
  if (!ctx.settings.liveWebhooks || commits.every(({ events }) => events.length === 0)) return;
  await afterResponse(ctx, wakeWebhooks(ctx));
}
