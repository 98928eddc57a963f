import type { MailCtx, MailStatement } from "../../../platform/context.ts";

/**
 * Returns the statement that copies `dueAt` to the queued emails of the `deliver` and `bulk` outbox rows that were just moved to
 * `dueAt`. An email whose `due_at` differs from its outbox row is shown as `sending`, so it runs in the same batch as
 * the statement that released the rows.
 */
export function syncDueAtStatement(ctx: MailCtx, dueAt: number): MailStatement {
  return ctx.mail
    .prepare(
      `UPDATE emails SET due_at = ?1 WHERE status = 'queued' AND n IN (
         SELECT r.value FROM outbox o CROSS JOIN json_each(o.ref) r WHERE o.due_at = ?1 AND o.kind IN ('deliver', 'bulk'))`,
    )
    .bind(dueAt);
}
