import type { MailCtx, MailStatement } from "../context.ts";
import { jsonChunks } from "../db/json-chunks.ts";
import { RECORDS_EVENTS } from "../db/people-flags.ts";
import type { PersonEvent } from "./rules.ts";

/** Columns of `events` that statements write. */
export const EVENT_COLUMNS = "workspace, id, email_key, name, data, occurred_at, created_at";

/** SQL: events of a workspace, by an expression of its number, are recorded. */
export const recordsEventsSql = (workspace: string) =>
  `EXISTS (SELECT 1 FROM shard_workspaces WHERE number = ${workspace} AND people & ${RECORDS_EVENTS})`;

const VALUES = `
  value->>'workspace' AS workspace, value->>'id' AS id, value->>'emailKey' AS email_key, value->>'name' AS name,
  value->>'data' AS data, value->>'occurredAt' AS occurred_at`;

// Data is JSON inside JSON, so that its text is kept.
const INSERT = `
  WITH j AS MATERIALIZED (SELECT key AS position, ${VALUES} FROM json_each(?1))
  INSERT OR IGNORE INTO events (${EVENT_COLUMNS})
  SELECT workspace, id, email_key, name, data, occurred_at, ?2 FROM j ORDER BY position`;

const RECORD = `
  WITH j AS MATERIALIZED (SELECT key AS position, ${VALUES} FROM json_each(?1))
  INSERT OR IGNORE INTO events (${EVENT_COLUMNS})
  SELECT j.workspace, j.id, j.email_key, j.name, j.data, j.occurred_at, ?2
    FROM j CROSS JOIN shard_workspaces s ON s.number = j.workspace AND s.people & ${RECORDS_EVENTS} ORDER BY j.position`;

/**
 * Returns the statements that store events, whether those of their workspaces are recorded or not. Safe to run twice.
 */
export function insertEventsStatements(ctx: MailCtx, events: readonly PersonEvent[]): MailStatement[] {
  return statements(ctx, INSERT, events);
}

/**
 * Returns the statements that store events of the service, for the batch that writes their cause. They store those of workspaces
 * whose events are recorded. Safe to run twice.
 */
export function recordPersonEventsStatements(ctx: MailCtx, events: readonly PersonEvent[]): MailStatement[] {
  return statements(ctx, RECORD, events);
}

function statements(ctx: MailCtx, sql: string, events: readonly PersonEvent[]): MailStatement[] {
  if (events.length === 0) return [];
  const rows = events.map((event) => JSON.stringify({ ...event, data: JSON.stringify(event.data) }));
  return jsonChunks(rows).map((chunk) => ctx.mail.prepare(sql).bind(chunk, ctx.now()));
}
