import type { MailCtx, MailStatement } from "../context.ts";
import { jsonChunks } from "../db/json-chunks.ts";
import { ID_SUFFIX_SQL, idPrefix } from "../db/random-id.ts";
import { RECEIVED, type WebhookEvent } from "./rules.ts";

// Reads one index entry for each event of a workspace without webhooks. The payload is the body of each request, so its
// bytes are the same in every attempt.
const INSERT = `
  WITH j AS MATERIALIZED (SELECT key AS position, value FROM json_each(?1))
  INSERT INTO webhook_deliveries (id, workspace, endpoint, webhook_id, email, event_type, payload, status, due_at, created_at)
  SELECT ?2 || ${ID_SUFFIX_SQL}, w.workspace, w.id, w.id, e.id, j.value->>'event',
    json_object('event', j.value->>'event', 'email_id', e.id, 'recipient', j.value->>'recipient',
      'timestamp', j.value->>'timestamp', 'metadata', json_replace(j.value->'metadata',
        '$.subject', e.subject, '$.tag', e.tags->>'$[0]', '$.tags', json(coalesce(e.tags, '[]')),
        '$.domain', substr(e.from_email, instr(e.from_email, '@') + 1))),
    'pending', ?3, ?3
    FROM j CROSS JOIN webhook_endpoints w ON w.workspace = j.value->>'workspace'
     AND EXISTS (SELECT 1 FROM json_each(w.events) s WHERE s.value = j.value->>'event')
   CROSS JOIN emails e ON e.workspace = w.workspace AND e.id = j.value->>'email'
   ORDER BY j.position`;

/**
 * Returns the statements that add deliveries of these events to the webhooks that subscribe to them, for the end of the
 * batch that writes the events: the rows of their emails must exist by then. None while live webhooks are off.
 */
export function recordEventsStatements(ctx: MailCtx, events: readonly WebhookEvent[]): MailStatement[] {
  if (!ctx.settings.liveWebhooks || events.length === 0) return [];
  const insert = ctx.mail.prepare(INSERT);
  const chunks = jsonChunks(events.map(toJson));
  return chunks.map((chunk) => insert.bind(chunk, idPrefix(ctx), ctx.now()));
}

/** Returns the JSON of an event. The statement replaces these members of its metadata by those of the row. */
function toJson({ metadata, ...event }: WebhookEvent): string {
  return JSON.stringify({ ...event, metadata: { subject: null, tag: null, tags: null, ...metadata } });
}

// Written before the entry of the inbound log, in its transaction: a repeated delivery finds the entry and adds nothing.
const INSERT_RECEIVED = `
  INSERT INTO webhook_deliveries (id, workspace, endpoint, webhook_id, email, event_type, payload, status, due_at, created_at)
  SELECT ?3 || ${ID_SUFFIX_SQL}, w.workspace, w.id, w.id, ?2, '${RECEIVED}', ?4, 'pending', ?5, ?5 FROM webhook_endpoints w
   WHERE w.workspace = ?1 AND EXISTS (SELECT 1 FROM json_each(w.events) s WHERE s.value = '${RECEIVED}')
     AND NOT EXISTS (SELECT 1 FROM inbound_emails WHERE workspace = ?1 AND id = ?2)`;

/**
 * Returns the statement of `email.received`, for the transaction of an entry of the inbound log, before it. `email` is the id of the
 * entry. None while live webhooks are off.
 */
export function recordReceivedStatements(ctx: MailCtx, { workspace, email, ...event }: Omit<WebhookEvent, "event">) {
  if (!ctx.settings.liveWebhooks) return [];
  const payload = JSON.stringify({ event: RECEIVED, email_id: email, ...event });
  return [ctx.mail.prepare(INSERT_RECEIVED).bind(workspace, email, idPrefix(ctx), payload, ctx.now())];
}
