import { notifyOwnersStatements } from "../../../notices/notifications/index.ts";
import type { MailCtx } from "../../../platform/context.ts";
import { done, nameOfEffect, nothingPrepared, type Outcome, type PendingOf, type Prepared } from "./outcome.ts";

type NotifyEffect = PendingOf<"notify">;

/** Notifications of one automation on a UTC day. Its runs go on without further ones. */
const NOTICES_PER_DAY = 100;

const COUNT = `
  SELECT j.value->>'id' AS id, (
    SELECT count(*) FROM (SELECT 1 FROM notified_events e WHERE e.workspace = j.value->>'workspace'
        AND e.key > j.value->>'prefix' AND e.key < (j.value->>'prefix') || 'g' LIMIT ?2)) AS notices
    FROM json_each(?1) j`;

/** Returns the start of the names of the notifications of an automation on the day of a time. */
const prefixOf = (automationId: string, now: number) =>
  `automation ${automationId} ${new Date(now).toISOString().slice(0, 10)} `;

/**
 * Notifies the owners of workspaces, in the main database: safe to repeat, since each notification has the name of its effect. Two D1
 * calls. The caller bounds the effects of a page.
 */
export async function applyNotices(ctx: MailCtx, pending: readonly NotifyEffect[]): Promise<Prepared> {
  if (pending.length === 0) return nothingPrepared();
  const automations = new Map(pending.map(({ due }) => [due.automationId, due.workspace]));
  const named = [...automations].map(([id, workspace]) => ({ id, workspace, prefix: prefixOf(id, ctx.now()) }));
  const results = await ctx.db.listRows<{ id: string; notices: number }>(COUNT, JSON.stringify(named), NOTICES_PER_DAY);
  const notices = new Map(results.map(({ id, notices: count }) => [id, count]));
  const outcomes = new Map<number, Outcome>();
  const statements = [];
  for (const one of pending) {
    const { due, effect } = one;
    const count = notices.get(due.automationId) ?? 0;
    if (count >= NOTICES_PER_DAY) {
      outcomes.set(
        due.n,
        done(`Did not notify the team: it got ${NOTICES_PER_DAY} notifications of this automation today.`),
      );
      continue;
    }
    notices.set(due.automationId, count + 1);
    outcomes.set(due.n, done("Notified the team."));
    statements.push(
      ...notifyOwnersStatements(ctx, due.workspace, {
        category: "sends" as const,
        severity: "info" as const,
        href: `/automations/${due.automationId}/runs/${due.run.id}`,
        title: effect.step.message,
        // Without the address: no erasure would reach it in the mails to the team.
        body: "A person came to this step of an automation.",
        key: `${prefixOf(due.automationId, effect.at)}${nameOfEffect(one)}`,
      }),
    );
  }
  if (statements.length > 0) await ctx.db.batch(statements);
  return { ...nothingPrepared(), outcomes };
}
