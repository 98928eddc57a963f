import { and, eq } from "drizzle-orm";
import { type CallerCtx, requireAllDomains, requireScopes } from "../../access/caller.ts";
import { forbidden, notFound, requireFound } from "../../lib/errors.ts";
import { parseUuid } from "../../lib/ids.ts";
import { mailOrm } from "../../platform/db/client.ts";
import { webhookDeliveries } from "../../platform/db/schema/mail/index.ts";
import { RECEIVED } from "../../platform/webhook-events/rules.ts";
import type { WebhookRow } from "./queries.ts";
import { type DeliveryStatus, deliveryStatuses } from "./rules.ts";

export type DeliveryRow = typeof webhookDeliveries.$inferSelect;
export type DeliveryItemRow = Pick<
  DeliveryRow,
  "id" | "webhookId" | "eventType" | "status" | "responseStatus" | "attempt" | "dueAt" | "createdAt"
>;

/** The email of a delivery. Null for another event, and for a payload above 20 KB. */
export interface DeliveryEmail {
  recipient: string | null;
  subject: string | null;
}

// A payload has up to 2 MB; octet_length reads none of it. That of a forwarding rule and of received mail is for readers of the mailbox.
const ofPayload = (path: string) =>
  `iif(webhook_id IS NOT NULL AND event_type <> '${RECEIVED}' AND octet_length(payload) < 20000, payload->>'${path}', NULL)`;
const ITEM_COLUMNS = `
  id, webhook_id AS webhookId, event_type AS eventType, status, response_status AS responseStatus, attempt, due_at AS dueAt,
  created_at AS createdAt, ${ofPayload("$.recipient")} AS recipient, ${ofPayload("$.metadata.subject")} AS subject`;
const ofStatus = (status: DeliveryStatus) => `
  SELECT * FROM (
    SELECT n FROM webhook_deliveries WHERE endpoint = ?1 AND status = '${status}' AND n < ?3 AND coalesce(?2, '${status}') = '${status}'
     ORDER BY n DESC LIMIT ?4 + ?5)`;
// The index begins with the status: no part reads more rows than those up to the end of the page.
const LIST = `
  SELECT ${ITEM_COLUMNS} FROM webhook_deliveries WHERE n IN (${deliveryStatuses.map(ofStatus).join(" UNION ALL ")})
   ORDER BY n DESC LIMIT ?4 OFFSET ?5`;

const COUNTS = "SELECT pending, delivered, retrying, failed FROM webhook_endpoints WHERE id = ?1";
const POSITION = "SELECT n FROM webhook_deliveries WHERE workspace = ?1 AND id = ?2 AND endpoint = ?3";

/** A part of the delivery log of a webhook. */
export interface DeliveryPage {
  /** Absent: every one. */
  status?: DeliveryStatus | undefined;
  offset: number;
  limit: number;
  /** Continues below the delivery with this id. */
  before?: string | undefined;
}

/** Returns deliveries of a webhook, newest first, and the number of all with this status. */
export async function listDeliveries(
  ctx: CallerCtx,
  { id }: Pick<WebhookRow, "id">,
  { status, offset, limit, before }: DeliveryPage,
): Promise<{ rows: (DeliveryItemRow & DeliveryEmail)[]; total: number }> {
  const db = ctx.mail;
  const position =
    before === undefined
      ? Number.MAX_SAFE_INTEGER
      : await db.findValue<number>(POSITION, ctx.workspace.number, before, id);
  type Counts = Partial<Record<DeliveryStatus, number>>;
  const [[count], rows] = await db.listEach<[Counts, DeliveryItemRow & DeliveryEmail]>([
    db.prepare(COUNTS).bind(id),
    db.prepare(LIST).bind(id, status ?? null, position ?? 0, limit, offset),
  ]);
  const counted: readonly DeliveryStatus[] = status === undefined ? deliveryStatuses : [status];
  const total = counted.reduce((sum, name) => sum + (count?.[name] ?? 0), 0);
  return { rows, total };
}

/**
 * Returns one delivery of the workspace, of this webhook when one is given. Throws 404, and 403 for a key that is restricted
 * to domains, and for mail that a forwarding rule has posted unless the caller may open every mailbox.
 */
export async function getDelivery(ctx: CallerCtx, id: string, endpoint?: string): Promise<DeliveryRow> {
  requireAllDomains(ctx);
  const uuid = requireFound(parseUuid(id), "Webhook delivery");
  const ofEndpoint = endpoint === undefined ? undefined : eq(webhookDeliveries.endpoint, endpoint);
  const [row] = await mailOrm(ctx)
    .select()
    .from(webhookDeliveries)
    .where(and(eq(webhookDeliveries.workspace, ctx.workspace.number), eq(webhookDeliveries.id, uuid), ofEndpoint));
  if (!row) throw notFound("Webhook delivery");
  if (row.webhookId === null || row.eventType === RECEIVED) requireEveryMailbox(ctx);
  return row;
}

/** Throws 403 unless the caller may open every mailbox: a payload about received mail has its sender and subject, or its text. */
export function requireEveryMailbox({ actor }: CallerCtx): void {
  if (actor.role === "member") throw forbidden("Only owners and admins see webhooks of received mail");
  requireScopes(actor, "inbox:read");
}
