import type { Ctx } from "../../platform/context.ts";
import { KEEP_MS, NOTHING_WAITS_MS, type Outage, PROBE_EVERY_MS } from "./rules.ts";

// The row with id 1 is the lock: one of several invocations changes it.
const START_PROBE = `
  INSERT INTO egress_probe (id, started_at) VALUES (1, ?1)
  ON CONFLICT DO UPDATE SET started_at = excluded.started_at WHERE started_at <= excluded.started_at - ?2`;

/** Returns true to one caller in PROBE_EVERY_MS: it may probe the egress. */
export async function startProbe(ctx: Ctx): Promise<boolean> {
  const { meta } = await ctx.db.execute(START_PROBE, ctx.now(), PROBE_EVERY_MS);
  return meta.changes > 0;
}

const SAVE_RESPONSE = `
  INSERT INTO egress_probe (id, started_at, answered_at) VALUES (1, 0, ?1)
  ON CONFLICT DO UPDATE SET answered_at = excluded.answered_at`;
const END = "UPDATE egress_outages SET ended_at = max(began_at, ?1) WHERE ended_at IS NULL";

/** Records that the egress took a session or an email. Returns true when that ends an outage: to one of several callers. */
export async function recordResponse(ctx: Ctx): Promise<boolean> {
  const now = ctx.now();
  const [, ended] = await ctx.db.batch([ctx.db.prepare(SAVE_RESPONSE).bind(now), ctx.db.prepare(END).bind(now)]);
  return (ended?.meta.changes ?? 0) > 0;
}

const CLEAR_RESPONSE = "UPDATE egress_probe SET answered_at = NULL WHERE answered_at < ?1";
// An outage that lasts stays. An email that left while the probe waited for a reply disproves the failure.
const BEGIN = `
  INSERT INTO egress_outages (id, began_at)
  SELECT ?1, ?2 WHERE NOT EXISTS (SELECT 1 FROM egress_outages WHERE ended_at IS NULL)
    AND NOT EXISTS (SELECT 1 FROM egress_probe WHERE answered_at >= ?2)`;
const DELETE_OLD = "DELETE FROM egress_outages WHERE ended_at < ?1";

/** Records that the egress could not be used at `at`, in milliseconds since 1970. Begins an outage unless one lasts. */
export async function recordFailure(ctx: Ctx, at: number): Promise<void> {
  await ctx.db.batch([
    ctx.db.prepare(CLEAR_RESPONSE).bind(at),
    ctx.db.prepare(BEGIN).bind(ctx.newId(), at),
    ctx.db.prepare(DELETE_OLD).bind(at - KEEP_MS),
  ]);
}

const END_UNPROBED = `
  UPDATE egress_outages SET ended_at = ?1 WHERE ended_at IS NULL AND began_at < ?2
    AND NOT EXISTS (SELECT 1 FROM egress_probe WHERE started_at >= ?2)`;

/** Ends an outage in which no email waits any more, in any mail database: then none probes the egress. */
export async function endWithoutWaiting(ctx: Ctx): Promise<void> {
  const now = ctx.now();
  await ctx.db.execute(END_UNPROBED, now, now - NOTHING_WAITS_MS);
}

/** Returns when the egress responded last; null when it did not since its last failure. In milliseconds since 1970. */
export async function findLastResponse({ db }: Pick<Ctx, "db">): Promise<number | null> {
  const row = await db.findRow<{
    respondedAt: number | null;
  }>("SELECT answered_at AS respondedAt FROM egress_probe WHERE id = 1");
  return row?.respondedAt ?? null;
}

/** Returns the outages of the last days: at most one of them lasts. */
export async function listOutages({ db }: Pick<Ctx, "db">): Promise<Outage[]> {
  return db.listRows<Outage>(
    "SELECT id, began_at AS beganAt, ended_at AS endedAt FROM egress_outages ORDER BY id DESC LIMIT 5000",
  );
}
