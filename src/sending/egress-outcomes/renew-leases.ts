import { EGRESS_LEASE_MS, readTicket, type Ticket, writeTicket } from "../../mail/egress-tickets/ticket.ts";
import type { Ctx } from "../../platform/context.ts";
import { onShard, shardNumbers } from "../../platform/jobs/shards.ts";

/** Tickets of one call: a row written for each. */
export const MAX_LEASES = 100;

/** Leases that were renewed. Times in milliseconds since 1970. */
export interface RenewedLeases {
  until: number;
  now: number;
  /** The new ticket by the old one. */
  tickets: Record<string, string>;
  /** Tickets whose lease is not held any more. */
  lost: string[];
}

const RENEW = `
  UPDATE outbox SET due_at = ?2 FROM json_each(?1) j
   WHERE outbox.due_at = j.value->>'until' AND outbox.id = j.value->>'row' AND outbox.token = j.value->>'token'
  RETURNING outbox.id AS row, outbox.token`;

/**
 * Renews the leases of the rows of these tickets, at most MAX_LEASES, for EGRESS_LEASE_MS from now. Tickets of a mail database that fails are
 * neither renewed nor lost, so that they may be sent again: a ticket that was renewed would be lost then. Throws when all fail.
 */
export async function renewLeases(ctx: Ctx, tickets: readonly string[]): Promise<RenewedLeases> {
  const now = ctx.now();
  const until = now + EGRESS_LEASE_MS;
  const shards = shardNumbers(ctx);
  const read = tickets.flatMap((text) => {
    const ticket = readTicket(text);
    return ticket && shards.includes(ticket.shard) ? [{ text, ticket }] : [];
  });
  const groups = [...Map.groupBy(read, ({ ticket }) => ticket.shard).values()];
  const results = await Promise.allSettled(groups.map((group) => renewOnShard(ctx, group, until)));
  const errors = results.flatMap((result) => (result.status === "rejected" ? [result.reason as unknown] : []));
  if (errors.length > 0 && errors.length === groups.length) throw errors[0];
  for (const error of errors) ctx.log("egress.leases.failed", { error: String(error) });
  const renewed = results.flatMap((result) => (result.status === "fulfilled" ? result.value : []));
  const unknown = groups.filter((_, index) => results[index]?.status === "rejected").flat();
  const kept = new Set([...renewed, ...unknown].map(({ text }) => text));
  return {
    until,
    now,
    tickets: Object.fromEntries(renewed.map(({ text, ticket }) => [text, writeTicket({ ...ticket, until })])),
    lost: tickets.filter((text) => !kept.has(text)),
  };
}

/** A ticket and its text. */
interface ReadTicket {
  text: string;
  ticket: Ticket;
}

const nameOf = ({ row, token }: Pick<Ticket, "row" | "token">) => `${row} ${token}`;

/** Renews the leases of tickets of one mail database. Returns those whose lease is held. */
async function renewOnShard(ctx: Ctx, tickets: readonly ReadTicket[], until: number): Promise<ReadTicket[]> {
  const [first] = tickets;
  if (!first) return [];
  const keys = tickets.map(({ ticket }) => ({ until: ticket.until, row: ticket.row, token: ticket.token }));
  const { results } = await onShard(ctx, first.ticket.shard)
    .mail.prepare(RENEW)
    .bind(JSON.stringify(keys), until)
    .all<{ row: string; token: string }>();
  const renewed = new Set(results.map(nameOf));
  return tickets.filter(({ ticket }) => renewed.has(nameOf(ticket)));
}
