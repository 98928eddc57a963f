import type { MailCtx, MailStatement } from "../../platform/context.ts";
import { pausedStatements } from "./webhook-events.ts";

const PAUSE = `
  UPDATE automations SET status = 'paused', pause_reason = ?2, sweep = NULL, sweep_after = 0, edit = edit + 1, updated_at = ?3
   WHERE n = ?1 AND status = 'active'`;

const PAUSE_EMAILS = `
  UPDATE broadcasts SET paused_at = ?3 WHERE workspace = ?1 AND automation = ?2 AND status = 'sending' AND paused_at IS NULL`;

/** An automation by its numbers. */
export interface AutomationNumbers {
  workspace: number;
  n: number;
}

/**
 * Returns the statements that pause an active automation: its runs are held when they are due, and emails that have not left wait
 * at dispatch. `reason`: why the service does it; null: a person does.
 */
export function pauseStatements(
  ctx: MailCtx,
  { workspace, n }: AutomationNumbers,
  reason: string | null,
): MailStatement[] {
  const pause = ctx.mail.prepare(PAUSE).bind(n, reason, ctx.now());
  const events = pausedStatements(ctx, { n, status: "active", reason });
  return [...events, pause, pauseEmailsStatement(ctx, { workspace, n })];
}

/** Returns the statement that makes emails of an automation wait at dispatch. */
export function pauseEmailsStatement(ctx: MailCtx, { workspace, n }: AutomationNumbers): MailStatement {
  return ctx.mail.prepare(PAUSE_EMAILS).bind(workspace, n, ctx.now());
}
