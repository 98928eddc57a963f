import type { Ctx, InvocationLimits } from "../context.ts";
import { CONCURRENT_DATABASES } from "./shards.ts";

/** D1 statements of one step at most. */
const STEP_STATEMENTS = 20;
/** A step that takes longer is abandoned, so that a database that does not respond keeps no job from its turn. In milliseconds. */
const STEP_TIMEOUT_MS = 20_000;

/** A job in steps of at most STEP_STATEMENTS statements. It may end after any of them; its next run then continues. */
export type Steps = AsyncGenerator<void, void>;

/** Runs jobs of one database in turns, one step each, until all are done: none waits for the end of another. */
export async function* takeTurns(jobs: Iterable<Steps>): Steps {
  const queue = [...jobs];
  for (let job = queue.shift(); job; job = queue.shift()) {
    const { done } = await job.next();
    if (!done) queue.push(job);
    yield;
  }
}

/** A job on one database. */
export interface Turn {
  database: number | "main";
  steps: Steps;
}

/**
 * Runs jobs in turns, one step each and CONCURRENT_DATABASES at once, until they are done or a limit of the invocation is
 * reached. So each job gets its turn although another has much work, is slow or fails. Calls `onUnfinished` with the databases whose
 * jobs a limit has ended. Throws the first error at the end.
 */
export async function runInTurns(
  ctx: Pick<Ctx, "log">,
  turns: Iterable<Turn>,
  limits: InvocationLimits,
  {
    timeoutMs = STEP_TIMEOUT_MS,
    onUnfinished,
  }: { timeoutMs?: number; onUnfinished?: (databases: Turn["database"][]) => Promise<void> } = {},
): Promise<void> {
  const queue = [...turns];
  const errors: unknown[] = [];
  const worker = async () => {
    while (limits.statements >= STEP_STATEMENTS && limits.objectReads > 0 && limits.work > 0) {
      const turn = queue.shift();
      if (!turn) return;
      limits.statements -= STEP_STATEMENTS;
      try {
        const { done } = await within(timeoutMs, turn.steps.next());
        if (!done) queue.push(turn);
      } catch (error) {
        ctx.log("shard.failed", { shard: turn.database, error: String(error) });
        errors.push(error);
      } finally {
        limits.statements += STEP_STATEMENTS;
      }
    }
  };
  await Promise.all(Array.from({ length: CONCURRENT_DATABASES }, worker));
  const databases = queue.map(({ database }) => database);
  if (databases.length > 0) {
    ctx.log("jobs.not_finished", { databases });
    await onUnfinished?.(databases);
  }
  if (errors.length > 0) throw errors[0];
}

async function within<Result>(timeoutMs: number, work: Promise<Result>): Promise<Result> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`a step took more than ${timeoutMs} ms`)), timeoutMs);
  return Promise.race([work, promise]).finally(() => clearTimeout(timer));
}
