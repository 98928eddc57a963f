import { HAS_AUTOMATION_WORK_SQL } from "./audience/automations/index.ts";
import { chunks } from "./lib/chunks.ts";
import {
  hourSteps,
  mainHourSteps,
  mainRetentionSteps,
  retentionSteps,
  sampleRows,
} from "./operations/retention/index.ts";
import type { Ctx, MailCtx, OutboxCtx } from "./platform/context.ts";
import { deleteExpiredMainResponses, deleteExpiredResponses } from "./platform/idempotency/delete-expired.ts";
import { MAIN_NUMBER, type ShardSize, saveShardSizes } from "./platform/jobs/shard-sizes.ts";
import { onMain, onShard, shardNumbers } from "./platform/jobs/shards.ts";
import { runInTurns, type Steps, type Turn } from "./platform/jobs/turns.ts";
import { sweep } from "./platform/outbox/sweep.ts";
import type { OutboxMessage } from "./platform/outbox/wake.ts";
import { wakeAutomations } from "./platform/person-events/wake.ts";
import { wakeWebhooks } from "./platform/webhook-events/wake.ts";
import { type DatabaseRows, runDatabases } from "./run-outbox.ts";
import { type RunLimits, scheduleRetryAfterOutage } from "./sending/delivery/index.ts";
import { notifyOfOutages, watchEgress } from "./sending/egress-outages/index.ts";
import { HAS_NEW_EMAILS_SQL, indexEmails, offloadSteps } from "./sending/emails/index.ts";
import { checkRates } from "./sending/rates/index.ts";

type DatabaseName = OutboxMessage["database"];
/** `goOn` lets the job go on in another invocation on databases where a limit of this one has ended it. */
type JobFunction = (
  ctx: Ctx,
  databases: readonly DatabaseName[],
  limits: RunLimits,
  goOn: (databases: DatabaseName[]) => Promise<void>,
) => Promise<void>;

/** Jobs of cron on some databases. */
const jobs = {
  sweep: sweepDatabases,
  offload: inTurns({ mail: offloadSteps }),
  rates: inTurns({ mail: checkRates }),
  "close-hours": inTurns({ mail: hourSteps, main: mainHourSteps }),
  responses: inTurns({ mail: deleteExpiredResponses, main: deleteExpiredMainResponses }),
  release: inTurns({ mail: retrySteps }),
  retention: inTurns({ mail: retentionSteps, main: mainRetentionSteps }),
} satisfies Record<string, JobFunction>;

/** The name of a job. */
export type ShardJob = keyof typeof jobs;

/** A queue message that starts a job on some databases. */
export interface ShardJobMessage {
  type: "shards.job.v1";
  job: ShardJob;
  shards: DatabaseName[];
  /** Until then the job goes on by further messages while it has work, in milliseconds since 1970. */
  until?: number;
}

/** How long after cron started it a job goes on while it has work, in milliseconds: until cron starts it again. */
const CONTINUED_MS: Partial<Record<ShardJob, number>> = { retention: 55 * 60_000 };

/** Mail databases of one invocation: a sweep of them makes less than a tenth of its 1,000 D1 queries when none has work. */
const SHARDS_PER_INVOCATION = 32;
/** Rows of each database that a sweep processes itself. */
const MAX_ROWS_WITHOUT_QUEUE = 500;
/** A database that does not respond to a sweep for this long is left to the next sweep, in milliseconds. */
const SWEEP_TIMEOUT_MS = 5_000;
/** A group of mail databases whose last sweep by a message is older than this is swept by cron itself, in milliseconds. */
const SWEEP_LOST_MS = 90_000;

/**
 * Runs a job on the main database and every mail database: SHARDS_PER_INVOCATION in this invocation, and as many by each
 * queue message. What the queue refuses, this invocation does too, as far as its limits allow.
 */
export async function startShardJob(
  ctx: Ctx,
  job: ShardJob,
  limits: RunLimits,
  groupSize = SHARDS_PER_INVOCATION,
): Promise<void> {
  const [own = [], ...others] = chunks(shardNumbers(ctx), groupSize);
  const lost = job === "sweep" && others.length > 0 ? await findLostSweeps(ctx, others) : [];
  const until = ctx.now() + (CONTINUED_MS[job] ?? 0);
  const refused = (await Promise.all(others.map((group) => sendJob(ctx, { job, shards: group, until })))).flat();
  const databases = ["main" as const, ...new Set([...own, ...lost, ...refused])];
  await jobs[job](ctx, databases, limits, (shards) => continueJob(ctx, { job, shards, until }));
}

/** Retries the emails that wait for the egress, in all mail databases. One that is missed is found by its next sweep. */
export async function retryEverywhere(ctx: Ctx, limits: RunLimits): Promise<void> {
  ctx.log("egress.answered");
  await startShardJob(ctx, "release", limits);
}

/** Returns whether the body of a queue message starts a job that this version knows. */
export function isShardJob(ctx: Ctx, body: { type?: unknown } | null): boolean {
  if (body?.type !== "shards.job.v1") return false;
  const { job, shards } = body as Partial<ShardJobMessage>;
  return (
    Object.hasOwn(jobs, job ?? "") &&
    Array.isArray(shards) &&
    shards.every((name) => name === "main" || shardNumbers(ctx).includes(name))
  );
}

/** Runs the job of a queue message. Logs an error of a database, whose job cron starts again. */
export async function runShardJob(
  ctx: Ctx,
  { job, shards, until = 0 }: ShardJobMessage,
  limits: RunLimits,
): Promise<void> {
  try {
    await jobs[job](ctx, shards, limits, (left) => continueJob(ctx, { job, shards: left, until }));
  } catch (error) {
    ctx.log("shards.job.failed", { job, error: String(error) });
  }
  if (job === "sweep") await saveSweep(ctx, shards);
}

type Job = Required<Omit<ShardJobMessage, "type">>;

/** Lets a job go on in another invocation, unless its time is over. */
async function continueJob(ctx: Ctx, { job, shards, until }: Job): Promise<void> {
  if (ctx.now() < until) await sendJob(ctx, { job, shards, until });
}

/** Sends the message of a job. Returns the databases if the queue refuses it. */
async function sendJob<Name extends DatabaseName>(ctx: Ctx, { job, shards, until }: Job & { shards: Name[] }) {
  const body: ShardJobMessage = { type: "shards.job.v1", job, shards, ...(ctx.now() < until ? { until } : {}) };
  try {
    await ctx.env.WORK.sendBatch([{ body }]);
    return [];
  } catch (error) {
    ctx.log("shards.job.refused", { job, shards, error: String(error) });
    return shards;
  }
}

/** Records, at the first database of a group, that its message arrived. */
async function saveSweep(ctx: Ctx, [first]: readonly DatabaseName[]): Promise<void> {
  await ctx.db.execute("UPDATE mail_shards SET swept_at = ?2 WHERE number = ?1", first, ctx.now());
}

/** Returns the databases of groups that no message had swept for SWEEP_LOST_MS. */
async function findLostSweeps(ctx: Ctx, groupsOfShards: readonly number[][]): Promise<number[]> {
  const sql = "SELECT number FROM mail_shards WHERE swept_at > ?1";
  const results = await ctx.db.listRows<{ number: number }>(sql, ctx.now() - SWEEP_LOST_MS);
  const swept = new Set(results.map(({ number }) => number));
  return groupsOfShards.filter(([first]) => first !== undefined && !swept.has(first)).flat();
}

/** The results of the sweeps of some databases. */
interface Found {
  outboxes: DatabaseRows[];
  sizes: ShardSize[];
  /** Mail databases with emails that the search does not find yet. */
  unindexed: number[];
  /** Mail databases with emails that wait for the egress. */
  waiting: number[];
  /** Mail databases with workspaces whose owners may have to be notified of an outage. */
  notifiable: number[];
}

/**
 * Sweeps the outboxes of these databases, measures the sizes of mail databases, processes what the sweeps left, probes the egress if emails
 * wait for it, and indexes new emails for the search. Each database is swept and indexed once before the first gets more.
 */
async function sweepDatabases(ctx: Ctx, databases: readonly DatabaseName[], limits: RunLimits): Promise<void> {
  const found: Found = { outboxes: [], sizes: [], unindexed: [], waiting: [], notifiable: [] };
  const sweeps = databases.map((database) => ({
    database,
    steps: database === "main" ? sweepMain(onMain(ctx), found) : sweepShard(onShard(ctx, database), found),
  }));
  const [swept] = await Promise.allSettled([runInTurns(ctx, sweeps, limits, { timeoutMs: SWEEP_TIMEOUT_MS })]);
  await saveShardSizes(ctx, found.sizes);
  const [endsOutage] = await Promise.all([
    runDatabases(ctx, found.outboxes, limits, () => {}),
    retryAfterOutage(ctx, databases, found, limits),
  ]);
  if (endsOutage) await retryEverywhere(ctx, limits);
  const indexing = found.unindexed.map((shard) => ({ database: shard, steps: indexSteps(onShard(ctx, shard)) }));
  await runInTurns(ctx, indexing, limits);
  if (swept.status === "rejected") throw swept.reason;
}

async function* sweepMain(ctx: OutboxCtx<"main">, { outboxes, sizes }: Found): Steps {
  const { rows, size } = await sweep(ctx);
  sizes.push({ shard: MAIN_NUMBER, size });
  outboxes.push({ database: "main", rows: rows.slice(0, MAX_ROWS_WITHOUT_QUEUE) });
  yield;
}

// Work beside the outbox, in one read.
const FIND_OTHER_WORK = `
  SELECT ${HAS_NEW_EMAILS_SQL} AS has_new_emails,
         EXISTS (SELECT 1 FROM webhook_endpoints WHERE due_at <= ?1) AS has_due_webhooks,
         EXISTS (SELECT 1 FROM outbox WHERE outage = 'waiting') AS has_waiting,
         EXISTS (SELECT 1 FROM outage_workspaces) AS has_notifiable,
         ${HAS_AUTOMATION_WORK_SQL} AS has_automation_work`;

type OtherWork = Record<
  "has_new_emails" | "has_due_webhooks" | "has_waiting" | "has_notifiable" | "has_automation_work",
  number
>;

async function* sweepShard(ctx: MailCtx, found: Found): Steps {
  const { rows, size, also } = await sweep(ctx, ctx.mail.prepare(FIND_OTHER_WORK).bind(ctx.now()));
  const { has_new_emails, has_due_webhooks, has_waiting, has_notifiable, has_automation_work } = also as OtherWork;
  found.outboxes.push({ database: ctx.shard, rows: rows.slice(0, MAX_ROWS_WITHOUT_QUEUE) });
  found.sizes.push({ shard: ctx.shard, size });
  // Who fills it is known before anyone is refused.
  if (size >= ctx.settings.shardLimits.warning) yield* sampleRows(ctx);
  if (has_waiting === 1) found.waiting.push(ctx.shard);
  if (has_notifiable === 1) found.notifiable.push(ctx.shard);
  yield;
  if (has_due_webhooks === 1) await wakeWebhooks(ctx);
  if (has_automation_work === 1) await wakeAutomations(ctx);
  if (has_new_emails === 1 && (await indexEmails(ctx, 1)) > 0) found.unindexed.push(ctx.shard);
}

/** Probes the egress if emails wait for it, retries them if it responds, and notifies owners of a long outage and its end. */
async function retryAfterOutage(
  ctx: Ctx,
  databases: readonly DatabaseName[],
  { waiting, notifiable }: Found,
  limits: RunLimits,
): Promise<void> {
  const turnsOf = (shards: readonly number[], steps: (ctx: MailCtx) => Steps) =>
    shards.map((shard) => ({ database: shard, steps: steps(onShard(ctx, shard)) }));
  try {
    const endsOutages = databases.includes("main");
    const recovered = await watchEgress(ctx, { isWaiting: waiting.length > 0, endsOutages });
    if (recovered === "everywhere") await retryEverywhere(ctx, limits);
    else if (recovered === "here") await runInTurns(ctx, turnsOf(waiting, retrySteps), limits);
    await runInTurns(ctx, turnsOf(notifiable, notifyOfOutages), limits);
  } catch (error) {
    ctx.log("egress.watch.failed", { error: String(error) });
  }
}

async function* retrySteps(ctx: MailCtx): Steps {
  await scheduleRetryAfterOutage(ctx);
  yield;
}

async function* indexSteps(ctx: MailCtx): Steps {
  while ((await indexEmails(ctx, 1)) > 0) yield;
}

/** Returns the job that runs these steps on each database in turns. */
function inTurns(stepsOf: { mail: (ctx: MailCtx) => Steps; main?: (ctx: OutboxCtx<"main">) => Steps }): JobFunction {
  return (ctx, databases, limits, goOn) => {
    const turns = databases.flatMap((database): Turn[] => {
      if (database !== "main") return [{ database, steps: stepsOf.mail(onShard(ctx, database)) }];
      return stepsOf.main ? [{ database, steps: stepsOf.main(onMain(ctx)) }] : [];
    });
    return runInTurns(ctx, turns, limits, { onUnfinished: goOn });
  };
}
