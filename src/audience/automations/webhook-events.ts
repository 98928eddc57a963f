import { iso } from "../../lib/time.ts";
import type { MailCtx, MailStatement } from "../../platform/context.ts";
import { ID_SUFFIX_SQL, idPrefix } from "../../platform/db/random-id.ts";

/** Events of automations for the webhooks that subscribe to them (docs/contract/webhooks.md#events-of-automations). */

const COLUMNS = "id, workspace, endpoint, webhook_id, email, event_type, payload, status, due_at, created_at";

// Reads one index entry for each row of a workspace without webhooks.
const SUBSCRIBED = `webhook_endpoints w ON w.workspace = a.workspace AND EXISTS (SELECT 1 FROM json_each(w.events) s WHERE s.value = ?2)`;

const insertSql = (subject: string, fields: string, from: string) => `
  INSERT INTO webhook_deliveries (${COLUMNS})
  SELECT ?3 || ${ID_SUFFIX_SQL}, w.workspace, w.id, w.id, ${subject}, ?2,
         json_object('event', ?2, 'automation_id', a.id, ${fields}, 'timestamp', ?5), 'pending', ?4, ?4
    FROM ${from}`;

const RUN = "'run_id', r.id, 'recipient', r.email_key";

const STARTED = insertSql(
  "r.id",
  RUN,
  `json_each(?1) j CROSS JOIN automation_runs r ON r.automation = j.value->>'automation' AND r.id = j.value->>'id'
   CROSS JOIN automations a ON a.n = r.automation CROSS JOIN ${SUBSCRIBED} ORDER BY j.key`,
);

const ENDED = insertSql(
  "r.id",
  `${RUN}, 'status', j.value->>'status'`,
  `json_each(?1) j CROSS JOIN automation_runs r ON r.n = j.value->>'n' AND r.status = 'active'
   CROSS JOIN automations a ON a.n = r.automation CROSS JOIN ${SUBSCRIBED} ORDER BY j.key`,
);

const PAUSED = insertSql(
  "a.id",
  "'reason', ?1->>'reason'",
  `automations a CROSS JOIN ${SUBSCRIBED} WHERE a.n = ?1->>'n' AND a.status = ?1->>'status'`,
);

function toStatements(ctx: MailCtx, sql: string, event: string, json: string): MailStatement[] {
  if (!ctx.settings.liveWebhooks) return [];
  const now = ctx.now();
  return [ctx.mail.prepare(sql).bind(json, event, idPrefix(ctx), now, iso(now))];
}

/** Returns the statement for runs that began, by automation and id, for the transaction that inserts them, behind that. */
export const runStartedStatements = (ctx: MailCtx, runs: readonly { automation: number; id: string }[]) =>
  runs.length === 0 ? [] : toStatements(ctx, STARTED, "automation.run_started", JSON.stringify(runs));

/** Returns the statement for runs that end with a status, by number, for the transaction that ends them, before that. */
export const runEndedStatements = (ctx: MailCtx, runs: readonly { n: number; status: string }[]) =>
  runs.length === 0 ? [] : toStatements(ctx, ENDED, "automation.run_ended", JSON.stringify(runs));

/**
 * Returns the statement for an automation that is paused, for the transaction that pauses it. `status` is that of the row when the
 * statement runs: nothing is written for another one. `reason`: why the service does it; null: a person does.
 */
export const pausedStatements = (ctx: MailCtx, of: { n: number; status: "active" | "paused"; reason: string | null }) =>
  toStatements(ctx, PAUSED, "automation.paused", JSON.stringify(of));
