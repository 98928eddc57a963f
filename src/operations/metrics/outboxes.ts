import { forEachAtOnce } from "../../lib/at-once.ts";
import { withTimeout } from "../../lib/deadline.ts";
import type { Ctx, DatabaseKind, OutboxCtx } from "../../platform/context.ts";
import { CONCURRENT_DATABASES, onMain, onShard, shardNumbers } from "../../platform/jobs/shards.ts";
import { ALL_TURNS, dueRows, WAITING_BROADCASTS } from "../../platform/outbox/turns.ts";
import { lacksMigrations, NOT_MIGRATED } from "../../platform/settings/setting-issues.ts";
import { parseVariables } from "../../platform/settings/settings.ts";

/** A database that takes longer counts as failing, in milliseconds. */
export const DATABASE_TIMEOUT_MS = 5_000;

// Each workspace and each broadcast has its part of the ?2 rows that are counted.
const IS_DUE = "due_at <= ?1 AND leased_until <= ?1";
const DUE_BY_KIND = `
  WITH RECURSIVE ${ALL_TURNS}, ${dueRows("due_at <= ?1", "leased_until <= ?1", "?2")}, ${WAITING_BROADCASTS}, bulk (id) AS (
    SELECT j.value FROM waiting w CROSS JOIN json_each((
      SELECT json_group_array(id) FROM (SELECT id FROM outbox WHERE broadcast = w.broadcast AND ${IS_DUE}
        LIMIT CAST(1 + ?2 / (SELECT count(*) FROM waiting) AS INTEGER)))) j)
  SELECT o.kind, count(*) AS due, min(o.due_at) AS oldestAt, sum(o.claims > 0) AS retried
    FROM (SELECT id FROM due UNION ALL SELECT id FROM bulk LIMIT ?2) d CROSS JOIN outbox o ON o.id = d.id GROUP BY o.kind`;
const WAITING_FOR_EGRESS = "SELECT count(*) AS waiting FROM (SELECT 1 FROM outbox WHERE outage = 'waiting' LIMIT ?1)";
const QUARANTINED = "SELECT count(*) AS quarantined FROM (SELECT 1 FROM quarantine LIMIT ?1)";

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
  /** Rows that were set aside. */
  quarantined: number;
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
  const empty = { database, error: null, reason: null, kinds: [], waitingForEgress: 0, quarantined: 0, size: 0 };
  try {
    if (database === "main")
      return { ...empty, ...(await withTimeout(DATABASE_TIMEOUT_MS, readDue(onMain(ctx), limit))) };
    const mailCtx = onShard(ctx, database);
    const waiting = mailCtx.outbox.findValue<number>(WAITING_FOR_EGRESS, limit);
    const [due, waitingForEgress] = await withTimeout(
      DATABASE_TIMEOUT_MS,
      Promise.all([readDue(mailCtx, limit), waiting]),
    );
    return { ...empty, ...due, waitingForEgress: waitingForEgress ?? 0 };
  } catch (error) {
    // With invalid settings no database was asked.
    const isAsked = parseVariables(ctx.env).settings !== null;
    const reason = lacksMigrations(error) ? NOT_MIGRATED : "does not respond";
    return { ...empty, error: String(error), reason: isAsked ? reason : null };
  }
}

async function readDue<Kind extends DatabaseKind>(ctx: OutboxCtx<Kind>, limit: number) {
  const { outbox } = ctx;
  const [due, aside] = await outbox.batch<DueRows | { quarantined: number }>([
    outbox.prepare(DUE_BY_KIND).bind(ctx.now(), limit),
    outbox.prepare(QUARANTINED).bind(limit),
  ]);
  const { quarantined } = (aside?.results[0] ?? { quarantined: 0 }) as { quarantined: number };
  return { kinds: (due?.results ?? []) as DueRows[], quarantined, size: due?.meta.size_after ?? 0 };
}
