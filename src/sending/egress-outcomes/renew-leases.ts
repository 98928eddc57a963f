import { EGRESS_LEASE_MS, readTicket, type Ticket } from "../../mail/egress-tickets/ticket.ts";
import type { Ctx, MailCtx } from "../../platform/context.ts";
import { onShard, shardNumbers } from "../../platform/jobs/shards.ts";

/** Tickets of one call: a row written for each. */
export const MAX_LEASES = 100;

/** Leases that were renewed. Times in milliseconds since 1970. */
export interface RenewedLeases {
  until: number;
  now: number;
  /** Tickets whose lease is not held any more. The leases of all others end at `until`, or later. */
  lost: string[];
}

// The token alone says who holds the lease, and its end only grows, so renewals of one row may come in any order.
const RENEW = `
  UPDATE outbox SET leased_until = max(leased_until, ?2) FROM json_each(?1) j
   WHERE outbox.id = j.value->>'row' AND outbox.token = j.value->>'token'
  RETURNING outbox.id AS row, outbox.token`;

/**
 * Renews the leases of the rows of these tickets, at most MAX_LEASES, for EGRESS_LEASE_MS from now. May be repeated any number of
 * times. Throws when a mail database fails, since its tickets are neither renewed nor lost; an egress sends those of one database.
 */
export async function renewLeases(ctx: Ctx, tickets: readonly string[]): Promise<RenewedLeases> {
  const now = ctx.now();
  const until = now + EGRESS_LEASE_MS;
  const read = new Map(tickets.map((text) => [text, readTicket(text)]));
  const known = [...read.values()].filter((ticket) => ticket !== null);
  const groups = Map.groupBy(known, ({ shard }) => shard);
  const shards = shardNumbers(ctx).map((shard) => ({ shard, group: groups.get(shard) ?? [] }));
  const renewed = await Promise.all(shards.map(({ shard, group }) => renewOnShard(onShard(ctx, shard), group, until)));
  const held = new Set(renewed.flat());
  return { until, now, lost: tickets.filter((text) => !held.has(nameOf(read.get(text)))) };
}

/** Renews leases of one mail database. Returns the names of those that are held. */
async function renewOnShard({ mail, shard }: MailCtx, tickets: readonly Ticket[], until: number): Promise<string[]> {
  if (tickets.length === 0) return [];
  const keys = JSON.stringify(tickets.map(({ row, token }) => ({ row, token })));
  const results = await mail.listRows<Pick<Ticket, "row" | "token">>(RENEW, keys, until);
  return results.map((lease) => nameOf({ ...lease, shard }));
}

const nameOf = (lease: Pick<Ticket, "shard" | "row" | "token"> | null | undefined) =>
  `${lease?.shard} ${lease?.row} ${lease?.token}`;
