import type { MailCtx, MailStatement } from "../context.ts";
import { jsonChunks } from "../db/json-chunks.ts";
import type { PersonEvent } from "./rules.ts";

/** Columns of `events` that statements write. */
export const EVENT_COLUMNS = "workspace, id, email_key, name, data, occurred_at, created_at";

/** SQL: all events of a workspace, by an expression of its number, are recorded, since an automation is active or paused. */
export const recordsEventsSql = (workspace: string) =>
  `EXISTS (SELECT 1 FROM automations WHERE workspace = ${workspace} AND status IN ('active', 'paused'))`;

// Data is JSON inside JSON, so that its text is kept.
const INSERT = `
  INSERT OR IGNORE INTO events (${EVENT_COLUMNS})
  SELECT value->>'workspace', value->>'id', value->>'emailKey', value->>'name', value->>'data', value->>'occurredAt', ?2
    FROM json_each(?1) ORDER BY key`;

/** Returns the statements that store events of the service, for the batch that writes their cause. Safe to run twice. */
export function insertEventsStatements(ctx: MailCtx, events: readonly PersonEvent[]): MailStatement[] {
  if (events.length === 0) return [];
  const rows = events.map((event) => JSON.stringify({ ...event, data: JSON.stringify(event.data) }));
  return jsonChunks(rows).map((chunk) => ctx.mail.prepare(INSERT).bind(chunk, ctx.now()));
}
