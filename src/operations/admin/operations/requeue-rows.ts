import type { CallerCtx } from "../../../access/caller.ts";
import { notFound } from "../../../lib/errors.ts";
import { auditStatement } from "../../../platform/audit/record.ts";
import type { DatabaseKind, Statement, WakeUp } from "../../../platform/context.ts";
import { onMain, onShard, shardNumbers } from "../../../platform/jobs/shards.ts";
import { syncDueAtStatement } from "../../../sending/emails/index.ts";

/** Rows of one request: two queue messages of ten, and one statement. */
export const MAX_REQUEUED = 100;

/** A row by its key: the id and the due time, in milliseconds since 1970. */
export interface RowKey {
  id: string;
  dueAt: number;
}

// A row that a run holds stays. One claim is kept of those without a written outcome: the next attempt may be a repeat, which
// the events of the email say.
const requeue = (changes: string) => `
  UPDATE outbox SET due_at = ?2, token = NULL, claims = min(claims, 1)${changes}
   WHERE (due_at, id) IN (SELECT value->>'dueAt', value->>'id' FROM json_each(?1)) AND (token IS NULL OR due_at <= ?2)
  RETURNING due_at AS dueAt, id, kind`;

// A row that waits for the egress is released by this: it no longer counts as waiting.
const REQUEUE_MAIL = requeue(", outage = CASE WHEN outage IS NULL THEN NULL ELSE 'released' END");
const REQUEUE_MAIN = requeue("");

/**
 * Makes up to MAX_REQUEUED rows of an outbox due now and resets their claims, so that a row which failed again and again is
 * tried again. Rows that a run holds, and those that have moved since they were listed, are skipped. `database` is `main` or
 * the number of a mail database. Returns the number of changed rows. Throws 404 for a database that does not exist.
 */
export async function requeueRows(ctx: CallerCtx, database: string, rows: readonly RowKey[]): Promise<number> {
  const number = shardNumbers(ctx).find((known) => String(known) === database);
  if (database !== "main" && number === undefined) throw notFound("Database");
  // Recorded first: the mail databases are not part of the transaction.
  const ids = rows.map(({ id }) => id);
  const entry = { action: "outbox.requeued", target: database, detail: { ids } } as const;
  await auditStatement({ ...ctx, workspace: null }, entry).run();
  const now = ctx.now();
  const keys = JSON.stringify(rows);
  if (number === undefined) {
    const main = onMain(ctx);
    return changed(main, [main.outbox.prepare(REQUEUE_MAIN).bind(keys, now)]);
  }
  const mail = onShard(ctx, number);
  return changed(mail, [mail.outbox.prepare(REQUEUE_MAIL).bind(keys, now), syncDueAtStatement(mail, now)]);
}

interface Outbox<Kind extends DatabaseKind> {
  outbox: { batch<Row>(statements: readonly Statement<Kind>[]): Promise<D1Result<Row>[]> };
  wake: (rows: readonly WakeUp[]) => Promise<boolean>;
}

async function changed<Kind extends DatabaseKind>(
  { outbox, wake }: Outbox<Kind>,
  statements: readonly Statement<Kind>[],
): Promise<number> {
  const [update] = await outbox.batch<WakeUp>(statements);
  const rows = update?.results ?? [];
  if (rows.length > 0) await wake(rows);
  return rows.length;
}
