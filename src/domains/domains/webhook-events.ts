import { iso } from "../../lib/time.ts";
import type { Ctx, MainStatement } from "../../platform/context.ts";
import { ID_SUFFIX_SQL, idPrefix } from "../../platform/db/random-id.ts";
import type { DomainRow } from "./queries.ts";

// A run of the outbox adds the delivery, with the id of the row, to the mail database of the workspace. `condition` has ?1 to ?3.
const insertSql = (condition: string) => `
  INSERT INTO outbox (due_at, id, kind, ref)
  SELECT ?4, ?5 || ${ID_SUFFIX_SQL}, 'webhook', json_object('workspace', d.workspace, 'webhook', w.id, 'subject', d.id, 'eventType', ?6,
         'payload', json_object('event', ?6, 'email_id', NULL, 'recipient', NULL, 'timestamp', ?7,
           'metadata', json_object('domain_id', d.id, 'domain', d.name, 'reason', ?8)) || '')
    FROM domains d CROSS JOIN webhooks w ON w.workspace = d.workspace AND w.is_active = 1
     AND EXISTS (SELECT 1 FROM json_each(w.events) s WHERE s.value = ?6)
   WHERE ${condition}`;

type Conditions = readonly [condition: string, ...parameters: (string | number)[]];

const OF_DOMAIN = "d.id = ?1 AND d.workspace = ?2 AND d.status <> ?3";

/** Returns the condition that selects a domain whose status is another one. */
export const becomes = ({ id, workspace }: DomainRow, status: string): Conditions => [OF_DOMAIN, id, workspace, status];

/**
 * Returns the statement of `domain.verified` or `domain.failed`, for the webhooks of the workspaces of these domains `d`
 * (docs/contract/webhooks.md#events-of-domains). For the transaction that changes their status, before it. None while live webhooks are off.
 */
export function statusEventStatements(
  ctx: Ctx,
  status: "verified" | "failed",
  reason: string | null,
  [condition, ...parameters]: Conditions,
): MainStatement[] {
  if (!ctx.settings.liveWebhooks) return [];
  const now = ctx.now();
  const event = [now, idPrefix(ctx), `domain.${status}`, iso(now), reason];
  return [ctx.db.prepare(insertSql(condition)).bind(...parameters, ...event)];
}
