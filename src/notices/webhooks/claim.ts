import type { Ctx, MailCtx } from "../../platform/context.ts";
import type { webhooks } from "../../platform/db/schema/main/index.ts";
import type { StoredRow } from "../../platform/db/stored-row.ts";
import type { NewDelivery } from "./add-delivery.ts";
import {
  CLAIM_BYTES,
  CLAIM_DELIVERIES,
  CLAIM_DELIVERIES_FAILING,
  FAILED_CLAIM_MS,
  LEASE_MS,
  LOOKED_AT,
} from "./rules.ts";
import { openSecret } from "./secrets.ts";

/** A claim on endpoints: each has `due_at = until` and this token, so that no other run sends their deliveries. */
export interface Lease {
  token: string;
  /** End of the lease, in milliseconds since 1970. */
  until: number;
}

/** An endpoint that a run has claimed, with its oldest due deliveries. */
export interface ClaimedEndpoint {
  id: string;
  workspace: number;
  failingSince: number | null;
  deliveries: DueDelivery[];
}

/** A delivery to attempt. */
export interface DueDelivery extends Omit<NewDelivery, "workspace" | "isForced"> {
  n: number;
  isForced: 0 | 1;
  attempt: number;
  /** Id of the request that the email was accepted with, for the log; null without one. */
  requestId: string | null;
}

// The first due endpoint of each workspace comes before the second of any, so that a workspace with many keeps none of another waiting.
// Reads the index alone.
const inTurns = (limit: string) => `
  SELECT rowid FROM (
    SELECT rowid, due_at, row_number() OVER (PARTITION BY workspace ORDER BY due_at, rowid) AS turn
      FROM (SELECT rowid, due_at, workspace FROM webhook_endpoints WHERE due_at <= ?1 ORDER BY due_at LIMIT ${LOOKED_AT}))
   ORDER BY turn, due_at, rowid LIMIT ${limit}`;

// A leased endpoint is due at the end of its lease.
const CLAIM = `
  UPDATE webhook_endpoints SET token = ?2, due_at = ?3 WHERE rowid IN (${inTurns("?4")})
  RETURNING id, workspace, failing_since AS failingSince`;

// octet_length reads no payload. ?4: deliveries of an endpoint; ?5: of one that fails.
const FIND_DELIVERIES = `
  WITH due AS (
    SELECT x.n, octet_length(x.payload) AS bytes, iif(w.failing_since IS NULL, ?4, ?5) AS allowed,
           row_number() OVER (PARTITION BY w.id ORDER BY x.due_at, x.n) AS turn
      FROM webhook_endpoints w CROSS JOIN webhook_deliveries x ON x.n IN (
        SELECT n FROM webhook_deliveries WHERE endpoint = w.id AND due_at <= ?1 ORDER BY due_at, n LIMIT ?4)
     WHERE w.due_at = ?3 AND w.token = ?2
  ), counted AS (SELECT n, turn, sum(bytes) OVER (ORDER BY turn, n) AS total FROM due WHERE turn <= allowed)
  SELECT d.n, d.id, d.endpoint, d.webhook_id AS webhookId, d.email, d.event_type AS eventType, d.payload,
         d.is_forced AS isForced, d.attempt,
         (SELECT e.request_id FROM emails e WHERE e.workspace = d.workspace AND e.id = d.email) AS requestId
    FROM counted c CROSS JOIN webhook_deliveries d ON d.n = c.n WHERE c.turn = 1 OR c.total <= ${CLAIM_BYTES} ORDER BY d.n`;

/** Claims at most `limit` of the due endpoints, in turns of workspaces, with their oldest due deliveries, in one D1 call. */
export async function claimEndpoints(
  ctx: MailCtx,
  limit: number,
): Promise<{ lease: Lease; endpoints: ClaimedEndpoint[] }> {
  const now = ctx.now();
  const lease = { token: ctx.newId(), until: now + LEASE_MS };
  const db = ctx.mail;
  const [claimed, due] = await db.listEach<[Omit<ClaimedEndpoint, "deliveries">, DueDelivery]>([
    db.prepare(CLAIM).bind(now, lease.token, lease.until, limit),
    db.prepare(FIND_DELIVERIES).bind(now, lease.token, lease.until, CLAIM_DELIVERIES, CLAIM_DELIVERIES_FAILING),
  ]);
  const deliveriesOf = Map.groupBy(due, ({ endpoint }) => endpoint);
  const endpoints = claimed.map((endpoint) => ({ ...endpoint, deliveries: deliveriesOf.get(endpoint.id) ?? [] }));
  return { lease, endpoints };
}

const POSTPONE = `UPDATE webhook_endpoints SET due_at = ?1 + ?2 WHERE rowid = (${inTurns("1")})`;

/** Makes the first endpoint of a claim wait, after its claim alone failed by its content, so that it holds up no other. */
export async function postponeEndpoint(ctx: MailCtx): Promise<void> {
  await ctx.mail.execute(POSTPONE, ctx.now(), FAILED_CLAIM_MS);
}

// An endpoint with a failure that is not reported yet stays due, so that a run which ended before it is made up for. One with more
// to send is due from now on, so that it waits behind those that became due meanwhile.
const RELEASE = `
  UPDATE webhook_endpoints SET token = NULL, due_at = CASE WHEN gave_up_at IS NOT NULL THEN ?3 ELSE max(?3, (
      SELECT min(due_at) FROM webhook_deliveries d WHERE d.endpoint = webhook_endpoints.id AND d.due_at IS NOT NULL)) END
   WHERE id = ?1 AND token = ?2
  RETURNING due_at AS dueAt, gave_up_at AS gaveUpAt, failing_since AS failingSince`;

/** State of an endpoint when it is released. Times in milliseconds since 1970. */
export interface Released {
  dueAt: number | null;
  gaveUpAt: number | null;
  failingSince: number | null;
}

/** Releases an endpoint: it is due when its next delivery is, and not before now. Returns null when the lease was lost. */
export function releaseEndpoint(ctx: MailCtx, lease: Lease, id: string): Promise<Released | null> {
  return ctx.mail.findRow<Released>(RELEASE, id, lease.token, ctx.now());
}

/** Where and how the deliveries of an endpoint are sent now. */
export interface Target {
  url: string;
  secret: string;
  /** The secret before a rotation, while it still signs. */
  previous: string | null;
  isActive: boolean;
}

type TargetRow = Omit<StoredRow<typeof webhooks>, "workspace" | "events" | "secret_end" | "version" | "created_at">;

// The secret of a forwarding rule is encrypted as that of a webhook. An inactive rule gets no new mail, but posts what waits.
const FIND = `
  SELECT id, url, secret, previous_secret, previous_until, is_active FROM webhooks
   WHERE id IN (SELECT value FROM json_each(?1))
  UNION ALL
  SELECT id, target, secret, NULL, NULL, 1 FROM forwarding_rules
   WHERE action = 'webhook' AND secret IS NOT NULL AND id IN (SELECT value FROM json_each(?1))`;

/** Returns the targets of some endpoints, webhooks and forwarding rules, by id. One that was deleted has none. */
export async function findTargets(ctx: Ctx, ids: readonly string[]): Promise<ReadonlyMap<string, Target>> {
  const results = await ctx.db.listRows<TargetRow>(FIND, JSON.stringify(ids));
  return new Map(await Promise.all(results.map(async (row) => [row.id, await toTarget(ctx, row)] as const)));
}

async function toTarget(ctx: Ctx, row: TargetRow): Promise<Target> {
  const isOverlap = row.previous_secret !== null && (row.previous_until ?? 0) > ctx.now();
  return {
    url: row.url,
    secret: await openSecret(ctx, row.id, row.secret),
    previous: isOverlap && row.previous_secret !== null ? await openSecret(ctx, row.id, row.previous_secret) : null,
    isActive: row.is_active === 1,
  };
}
