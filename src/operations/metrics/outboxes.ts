import { forEachAtOnce } from "../../lib/at-once.ts";
import { withTimeout } from "../../lib/deadline.ts";
import type { Ctx, DatabaseKind, OutboxCtx } from "../../platform/context.ts";
import { CONCURRENT_DATABASES, onMain, onShard, shardNumbers } from "../../platform/jobs/shards.ts";
import { lacksMigrations, NOT_MIGRATED } from "../../platform/settings/setting-issues.ts";
import { parseVariables } from "../../platform/settings/settings.ts";

/** A database that takes longer counts as failing, in milliseconds. */
export const DATABASE_TIMEOUT_MS = 5_000;

// The rows are read in the order of the key, and no more than ?2, so the cost does not grow with the outbox.
const DUE_BY_KIND = `
  SELECT kind, count(*) AS due, min(due_at) AS oldestAt, sum(claims > 0) AS retried
    FROM (SELECT kind, due_at, claims FROM outbox WHERE due_at <= ?1 ORDER BY due_at LIMIT ?2) GROUP BY kind`;
const WAITING_FOR_EGRESS = "SELECT count(*) AS waiting FROM (SELECT 1 FROM outbox WHERE outage = 'waiting' LIMIT ?1)";

/** Due rows of one kind in one outbox. */
interface DueRows {
  kind: string;
  /** At most the limit of the read. */
  due: number;
  /** When the oldest became due, in milliseconds since 1970. */
  oldestAt: number;
  /** Rows that a run has claimed before without finishing them. */
  retried: number;
}

/** The outbox of one database; `error` is set when the database did not respond. */
export interface OutboxState {
  database: "main" | number;
  error: string | null;
  /** The error without the words of another system. Null: the settings are the cause. */
  reason: string | null;
  kinds: DueRows[];
  /** Rows whose last attempt failed before MAIL FROM, so the egress was not usable. */
  waitingForEgress: number;
  /** Bytes, without free pages. */
  size: number;
}

/** Reads the outboxes of all databases, CONCURRENT_DATABASES at once. Counts at most `limit` rows of each. */
export async function readOutboxes(ctx: Ctx, limit: number): Promise<OutboxState[]> {
  const states: OutboxState[] = [];
  await forEachAtOnce(CONCURRENT_DATABASES, ["main", ...shardNumbers(ctx)] as const, async (database) => {
    states.push(await readOutbox(ctx, database, limit));
  });
  return states.sort(
    (a, b) => Number(a.database === "main" ? -1 : a.database) - Number(b.database === "main" ? -1 : b.database),
  );
}

async function readOutbox(ctx: Ctx, database: "main" | number, limit: number): Promise<OutboxState> {
  const empty = { database, error: null, reason: null, kinds: [], waitingForEgress: 0, size: 0 };
  try {
    if (database === "main")
      return { ...empty, ...(await withTimeout(DATABASE_TIMEOUT_MS, readDue(onMain(ctx), limit))) };
    const mailCtx = onShard(ctx, database);
    const waiting = mailCtx.outbox.prepare(WAITING_FOR_EGRESS).bind(limit);
    const [due, row] = await withTimeout(
      DATABASE_TIMEOUT_MS,
      Promise.all([readDue(mailCtx, limit), waiting.first<{ waiting: number }>()]),
    );
    return { ...empty, ...due, waitingForEgress: row?.waiting ?? 0 };
  } catch (error) {
    // With invalid settings no database was asked.
    const isAsked = parseVariables(ctx.env).settings !== null;
    const reason = lacksMigrations(error) ? NOT_MIGRATED : "does not respond";
    return { ...empty, error: String(error), reason: isAsked ? reason : null };
  }
}

async function readDue<Kind extends DatabaseKind>(ctx: OutboxCtx<Kind>, limit: number) {
  const { results, meta } = await ctx.outbox.prepare(DUE_BY_KIND).bind(ctx.now(), limit).all<DueRows>();
  return { kinds: results, size: meta.size_after ?? 0 };
}
