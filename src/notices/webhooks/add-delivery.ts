import type { MailCtx, MailStatement } from "../../platform/context.ts";
import { jsonChunks } from "../../platform/db/json-chunks.ts";

/** A delivery that no event of an email causes: a test, a replay, or mail that a forwarding rule posts. */
export interface NewDelivery {
  id: string;
  workspace: number;
  /** Id of the webhook or of the forwarding rule. */
  endpoint: string;
  webhookId: string | null;
  /** Id of the email that it is about. */
  email: string;
  eventType: string;
  /** JSON text: the body of each request. */
  payload: string;
  /** True when it is sent although the webhook is paused. */
  isForced: boolean;
}

// The copy of a new webhook may not have arrived yet. Version 0 is older than any.
const ADD_ENDPOINT =
  "INSERT OR IGNORE INTO webhook_endpoints (id, workspace, version, events) VALUES (?1, ?2, 0, '[]')";

const ADD = `
  INSERT OR IGNORE INTO webhook_deliveries (id, workspace, endpoint, webhook_id, email, event_type, payload, is_forced, status,
    due_at, created_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, 'pending', ?9, ?9)`;

/** Returns the statements that add a delivery; safe to run twice. Call `wakeWebhooks` after their batch. */
export function addDeliveryStatements(ctx: MailCtx, delivery: NewDelivery): MailStatement[] {
  const { id, workspace, endpoint, webhookId, email, eventType, payload, isForced } = delivery;
  const db = ctx.mail;
  return [
    db.prepare(ADD_ENDPOINT).bind(endpoint, workspace),
    db.prepare(ADD).bind(id, workspace, endpoint, webhookId, email, eventType, payload, Number(isForced), ctx.now()),
  ];
}

const ADD_ENDPOINTS = `
  INSERT OR IGNORE INTO webhook_endpoints (id, workspace, version, events)
  SELECT DISTINCT value->>'webhook', value->>'workspace', 0, '[]' FROM json_each(?1)`;

const ADD_ALL = `
  INSERT OR IGNORE INTO webhook_deliveries (id, workspace, endpoint, webhook_id, email, event_type, payload, status, due_at, created_at)
  SELECT value->>'id', value->>'workspace', value->>'webhook', value->>'webhook', value->>'subject', value->>'eventType',
         value->>'payload', 'pending', ?2, ?2 FROM json_each(?1)`;

/** A delivery to a webhook about something else than an email. */
export interface OtherDelivery {
  id: string;
  workspace: number;
  /** Id of the webhook. */
  webhook: string;
  /** Id of what it is about: deliveries about one thing keep their order. */
  subject: string;
  eventType: string;
  /** JSON text: the body of each request. */
  payload: string;
}

/** Returns the statements that add deliveries; safe to run twice. Call `wakeWebhooks` after their batch. */
export function addDeliveriesStatements(ctx: MailCtx, deliveries: readonly OtherDelivery[]): MailStatement[] {
  const db = ctx.mail;
  const chunks = jsonChunks(deliveries.map((delivery) => JSON.stringify(delivery)));
  return chunks.flatMap((chunk) => [db.prepare(ADD_ENDPOINTS).bind(chunk), db.prepare(ADD_ALL).bind(chunk, ctx.now())]);
}
