import { runBroadcasts } from "./audience/broadcasts/index.ts";
import { runConfirmations } from "./audience/consent/index.ts";
import { runCounts } from "./audience/segments/index.ts";
import { forEachAtOnce } from "./lib/at-once.ts";
import { runForwards } from "./mailboxes/forwards/index.ts";
import { runImports } from "./mailboxes/inbox/archives/index.ts";
import { copySent } from "./mailboxes/inbox/sending/index.ts";
import { sendNotifications } from "./notices/notification-channels/index.ts";
import { copySubscriptions } from "./notices/webhooks/index.ts";
import { purge } from "./operations/purges/index.ts";
import type { Ctx, MailCtx, OutboxCtx, WakeUp } from "./platform/context.ts";
import { CONCURRENT_DATABASES, onMain, onShard, shardNumbers } from "./platform/jobs/shards.ts";
import type { OutboxMessage } from "./platform/outbox/wake.ts";
import { storeMainEvents } from "./platform/person-events/main-events.ts";
import {
  DeliveryRun,
  deliverRows,
  egressOf,
  newRunLimits,
  type RunLimits,
  runLowPriority,
  runRetriesAfterOutage,
} from "./sending/delivery/index.ts";
import { recordResponse } from "./sending/egress-outages/index.ts";
import { sendSystemEmail } from "./sending/system-emails/index.ts";
import { runTransfers } from "./transfers/domain-transfers/index.ts";

type RowKinds<Context> = Readonly<
  Record<string, (ctx: Context, rows: readonly WakeUp[], run: DeliveryRun) => Promise<void>>
>;

/** The function that processes each kind of outbox row of a mail database. */
const mailRowKinds: RowKinds<MailCtx> = {
  deliver: deliverRows,
  // A run finds the rows itself, whichever row the wake-up names.
  bulk: (ctx, _, run) => runLowPriority(ctx, run),
  broadcast: (ctx, rows) => runBroadcasts(ctx, rows),
  confirm: (ctx, rows) => runConfirmations(ctx, rows),
  segment: (ctx, rows) => runCounts(ctx, rows),
  purge: (ctx, rows) => purge(ctx, rows),
  release: (ctx, rows) => runRetriesAfterOutage(ctx, rows),
  "sent-copy": (ctx, rows) => copySent(ctx, rows),
  forward: (ctx, rows) => runForwards(ctx, rows),
};

/** The function that processes each kind of outbox row of the main database. */
const mainRowKinds: RowKinds<OutboxCtx<"main">> = {
  purge: (ctx, rows) => purge(ctx, rows),
  events: (ctx, rows) => storeMainEvents(ctx, rows),
  transfer: (ctx, rows) => runTransfers(ctx, rows),
  notify: (ctx, rows) => sendNotifications(ctx, rows, sendSystemEmail),
  webhook: (ctx, rows) => copySubscriptions(ctx, rows),
  import: (ctx, rows) => runImports(ctx, rows),
};

/** Returns whether the body of a queue message names rows that this version can process. */
export function isWakeUp(ctx: Ctx, body: { type: string } | null): body is OutboxMessage {
  if (body?.type !== "outbox.wake.v2") return false;
  const { database, rows } = body as Partial<OutboxMessage>;
  if (database === undefined || !Array.isArray(rows)) return false;
  if (database !== "main" && !shardNumbers(ctx).includes(database)) return false;
  const kinds = database === "main" ? mainRowKinds : mailRowKinds;
  return rows.every(({ kind }) => Object.hasOwn(kinds, kind));
}

/** Rows of the outbox of one database. */
export interface DatabaseRows {
  database: OutboxMessage["database"];
  rows: readonly WakeUp[];
}

/**
 * Processes rows of several outboxes, CONCURRENT_DATABASES at once, in one run that shares its limits and its SMTP
 * connections. Calls `onEnd` for each database, with the error of one that failed. Returns true when an email of the run
 * ended an outage of the egress, so that the waiting emails of all mail databases are to be retried.
 */
export async function runDatabases(
  ctx: Ctx,
  outboxes: readonly DatabaseRows[],
  limits: RunLimits,
  onEnd: (database: OutboxMessage["database"], error: unknown) => void,
): Promise<boolean> {
  const concurrency = Math.min(outboxes.length, CONCURRENT_DATABASES);
  const run = new DeliveryRun(ctx, egressOf(ctx.settings), limits, { databases: concurrency });
  await forEachAtOnce(concurrency, outboxes, async ({ database, rows }) => {
    try {
      await processRows(database === "main" ? onMain(ctx) : onShard(ctx, database), rows, run);
      onEnd(database, undefined);
    } catch (error) {
      ctx.log("work.failed", { database, error: String(error) });
      onEnd(database, error);
    }
  });
  await run.end();
  return run.hasEndedOutage && (await recordResponse(ctx));
}

/** Processes these rows of the outbox of the context by kind, except rows that another run has claimed. */
export async function runOutboxRows(ctx: MailCtx | OutboxCtx<"main">, rows: readonly WakeUp[]): Promise<void> {
  const run = new DeliveryRun(ctx, egressOf(ctx.settings), newRunLimits());
  await processRows(ctx, rows, run).finally(() => run.end());
}

async function processRows(ctx: MailCtx | OutboxCtx<"main">, rows: readonly WakeUp[], run: DeliveryRun): Promise<void> {
  const unique = new Map(rows.map((row) => [`${row.kind} ${row.dueAt} ${row.id}`, row]));
  const kinds = [...Map.groupBy(unique.values(), (row) => row.kind)];
  // A purge may take a minute: all else comes first.
  for (const [kind, ofKind] of kinds.sort(([a], [b]) => Number(a === "purge") - Number(b === "purge"))) {
    if ("shard" in ctx) await mailRowKinds[kind]?.(ctx, ofKind, run);
    else await mainRowKinds[kind]?.(ctx, ofKind, run);
  }
}
