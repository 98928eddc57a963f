import type { Ctx } from "../../platform/context.ts";
import { openSecret } from "./secrets.ts";

/** Where and how the deliveries of an endpoint are sent now. */
export interface Target {
  url: string;
  secret: string;
  /** The secret before a rotation, while it still signs. */
  previous: string | null;
  isActive: boolean;
}

interface TargetRow {
  id: string;
  url: string;
  secret: string;
  previous_secret: string | null;
  previous_until: number | null;
  is_active: number;
}

// The secret of a forwarding rule is encrypted as that of a webhook. An inactive rule gets no new mail, but posts what waits.
const FIND = `
  SELECT id, url, secret, previous_secret, previous_until, is_active FROM webhooks
   WHERE id IN (SELECT value FROM json_each(?1))
  UNION ALL
  SELECT id, target, secret, NULL, NULL, 1 FROM forwarding_rules
   WHERE action = 'webhook' AND secret IS NOT NULL AND id IN (SELECT value FROM json_each(?1))`;

/** Returns the targets of some endpoints, webhooks and forwarding rules, by id. One that was deleted has none. */
export async function findTargets(ctx: Ctx, ids: readonly string[]): Promise<ReadonlyMap<string, Target>> {
  const { results } = await ctx.db.prepare(FIND).bind(JSON.stringify(ids)).all<TargetRow>();
  return new Map(await Promise.all(results.map(async (row) => [row.id, await toTarget(ctx, row)] as const)));
}

async function toTarget(ctx: Ctx, row: TargetRow): Promise<Target> {
  const isOverlap = row.previous_secret !== null && (row.previous_until ?? 0) > ctx.now();
  return {
    url: row.url,
    secret: await openSecret(ctx, row.id, row.secret),
    previous: isOverlap && row.previous_secret !== null ? await openSecret(ctx, row.id, row.previous_secret) : null,
    isActive: row.is_active === 1,
  };
}
