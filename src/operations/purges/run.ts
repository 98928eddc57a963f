import type { Database, DatabaseKind, MailCtx, OutboxCtx, WakeUp } from "../../platform/context.ts";
import { deletePage } from "../../platform/db/byte-pages.ts";
import { mayExecute } from "../../platform/db/count-statements.ts";
import { consumeRows } from "../../platform/outbox/consume-rows.ts";
import type { Purge } from "../../platform/outbox/purge-statement.ts";
import { erasePerson } from "./erasure.ts";
import { deleteKeys, deleteObjects } from "./objects.ts";
import { purgeWorkspace } from "./workspace.ts";

/** A run starts no further step after this many milliseconds: half a lease, so that no other run claims the row meanwhile. */
const RUN_MS = 60_000;
/** Steps of one run, each of at most 1,000 rows of a table or 1,000 objects: an invocation may make 1,000 D1 queries (D1 limits). */
const RUN_STEPS = 50;
/** D1 statements of a claim and a step; it deletes the rows of a workspace from one mail database and the main one. */
const STEP_STATEMENTS = 40;

/** A context with the outbox that a purge is in. */
type PurgeCtx = MailCtx | OutboxCtx<"main">;

/** Limits of a run that is in progress: its end in milliseconds since 1970, and its remaining steps. */
interface RunLimits {
  until: number;
  steps: number;
}

/**
 * Deletes the data of deleted records. Every step may be repeated, so the claim only avoids double work. A purge that is not finished in
 * time is released and continues after the next sweep. Throws when a step failed: the lease then expires and the next sweep finds the row.
 */
export async function purge(ctx: PurgeCtx, wakeUps: readonly WakeUp[], maxSteps = RUN_STEPS): Promise<void> {
  const limits = { until: ctx.now() + RUN_MS, steps: maxSteps };
  await consumeRows(
    ctx,
    wakeUps,
    async ({ ref }) => ((await runPurge(ctx, JSON.parse(ref) as Purge, limits)) ? "done" : { dueAt: ctx.now() }),
    () => mayContinue(ctx, limits),
  );
}

const mayContinue = (ctx: PurgeCtx, { until, steps }: RunLimits) =>
  steps > 0 && ctx.now() < until && mayExecute(ctx, STEP_STATEMENTS);

/** Runs steps until the purge is finished (true) or a limit is reached (false). */
async function runPurge(ctx: PurgeCtx, purge: Purge, limits: RunLimits): Promise<boolean> {
  do {
    limits.steps -= 1;
    if (await runStep(ctx, purge)) return true;
  } while (mayContinue(ctx, limits));
  return false;
}

function runStep(ctx: PurgeCtx, purge: Purge): Promise<boolean> {
  if ("objects" in purge) return deleteObjects(ctx, purge.objects);
  if ("contactList" in purge) {
    if (!("shard" in ctx)) throw new Error("contacts are in mail databases");
    return deleteRows(ctx.mail, DELETE_CONTACTS, purge.contactList);
  }
  if ("erasure" in purge) return erasePerson(ctx, purge);
  if ("topic" in purge) return deleteRows(ctx.db, DELETE_CHOICES, purge.topic);
  return "keys" in purge ? deleteKeys(ctx, purge.keys) : purgeWorkspace(ctx, purge);
}

/** Rows of a deleted list or topic that one step deletes: few enough for a transaction of milliseconds. */
const ROWS_PER_STEP = 5_000;

const DELETE_CONTACTS = deletePage("contacts", "n", "WHERE list = ?1 LIMIT ?2");
const DELETE_CHOICES = deletePage("topic_choices", "workspace, email, topic", "WHERE topic = ?1 LIMIT ?2");

/** Deletes up to 5,000 rows of a deleted list or topic. Returns true when none is left. */
async function deleteRows<Kind extends DatabaseKind>(db: Database<Kind>, sql: string, of: number): Promise<boolean> {
  const { meta } = await db.execute(sql, of, ROWS_PER_STEP);
  return meta.changes === 0;
}
