import type { Ctx, MailCtx, OutboxCtx, WakeUp } from "../context.ts";
import { isOfStatement } from "../db/repeat-call.ts";
import { findShards, onShard } from "../jobs/shards.ts";
import { consumeTogether } from "../outbox/consume-rows.ts";
import { insertEventsStatements } from "./insert.ts";
import type { PersonEvent } from "./rules.ts";
import { wakeForEvents } from "./wake.ts";

/** Events whose cause is in the main database, as an outbox row there has them. */
interface EventsRef {
  workspace: number;
  /** Canonical address. */
  email: string;
  /** Milliseconds since 1970. */
  at: number;
  events: { id: string; name: string; data: Record<string, unknown> }[];
}

/** SQL of the `ref` of an outbox row. Each parameter is an SQL expression; `events`: a JSON list of objects with id, name and data. */
export const eventsRefSql = (workspace: string, email: string, at: string, events: string) =>
  `json_object('workspace', ${workspace}, 'email', ${email}, 'at', ${at}, 'events', ${events})`;

// The `ref` of an event of the person begins with this text without its last character, and a comma. D1 binds numbers as REAL.
const PERSON = "json_object('workspace', CAST(?1 AS INTEGER), 'email', ?2)";
const REF_START = `substr(${PERSON}, 1, length(${PERSON}) - 1) || ','`;
const deleteWaiting = (table: string) => `
  DELETE FROM ${table} WHERE kind = 'events' AND ref > ${REF_START} AND ref < ${REF_START} || char(1114111)`;

/** Deletes the events of a person, by the canonical address, which wait in the main database, also those that are held or set aside. */
export async function deleteWaitingEvents(ctx: Pick<Ctx, "db">, workspace: number, email: string): Promise<void> {
  const tables = ["outbox", "held_outbox", "quarantine"];
  await ctx.db.batch(tables.map((table) => ctx.db.prepare(deleteWaiting(table)).bind(workspace, email)));
}

/**
 * Stores the events of outbox rows of the main database in the mail databases of their workspaces. A row is deleted after its
 * events are stored, and an event that exists is not stored again, so a run may be killed at any point. Rows of a mail database that
 * fails are found by a later sweep.
 */
export async function storeMainEvents(ctx: OutboxCtx<"main">, wakeUps: readonly WakeUp[]): Promise<void> {
  await consumeTogether(ctx, wakeUps, async (claimed) => {
    const rows = claimed.map(({ id, ref }) => ({ id, ...(JSON.parse(ref) as EventsRef) }));
    const shardsOf = await findShards(ctx, new Set(rows.map(({ workspace }) => workspace)));
    const byShard = Map.groupBy(rows, ({ workspace }) => shardsOf.get(workspace) ?? null);
    const done: string[] = [];
    const ofContent: unknown[] = [];
    for (const [shard, group] of byShard) {
      try {
        // A workspace that was deleted has no database.
        if (shard !== null) await store(onShard(ctx, shard), group);
        done.push(...group.map(({ id }) => id));
      } catch (error) {
        ctx.log("events.failed", { shard, rows: group.length, error: String(error) });
        if (isOfStatement(error)) ofContent.push(error);
      }
    }
    if (done.length === 0 && ofContent.length > 0) throw ofContent[0];
    return done;
  });
}

async function store(ctx: MailCtx, rows: readonly EventsRef[]): Promise<void> {
  const events = rows.flatMap(({ workspace, email, at, events: stored }) =>
    stored.map((event): PersonEvent => ({ ...event, workspace, emailKey: email, occurredAt: at })),
  );
  await wakeForEvents(ctx, await ctx.mail.batch(insertEventsStatements(ctx, events)));
}
