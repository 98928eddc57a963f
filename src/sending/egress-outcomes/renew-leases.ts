import { EGRESS_LEASE_MS, readTicket, type Ticket, writeTicket } from "../../mail/egress-tickets/index.ts";
import type { Ctx, MailCtx } from "../../platform/context.ts";
import { mailDb } from "../../platform/db/client.ts";
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

/** Renews the leases of the rows of these tickets, at most MAX_LEASES, for EGRESS_LEASE_MS from now. */
export async function renewLeases(ctx: Ctx, tickets: readonly string[]): Promise<RenewedLeases> {
  const now = ctx.now();
  const until = now + EGRESS_LEASE_MS;
  const shards = shardNumbers(ctx);
  const read = tickets.flatMap((text) => {
    const ticket = readTicket(text);
    return ticket && shards.includes(ticket.shard) ? [{ text, ticket }] : [];
  });
  const renewed = new Set<string>();
  const groups = [...Map.groupBy(read, ({ ticket }) => ticket.shard)];
  await Promise.all(
    groups.map(async ([shard, group]) => {
      for (const name of await renewOnShard(
        onShard(ctx, shard),
        group.map(({ ticket }) => ticket),
        until,
      ))
        renewed.add(name);
    }),
  );
  const isRenewed = ({ ticket }: { ticket: Ticket }) => renewed.has(nameOf(ticket));
  const changed = read.filter(isRenewed).map(({ text, ticket }) => [text, writeTicket({ ...ticket, until })]);
  const kept = new Set(changed.map(([text]) => text));
  return { until, now, tickets: Object.fromEntries(changed), lost: tickets.filter((text) => !kept.has(text)) };
}

const nameOf = ({ row, token }: Pick<Ticket, "row" | "token">) => `${row} ${token}`;

async function renewOnShard(ctx: MailCtx, tickets: readonly Ticket[], until: number): Promise<string[]> {
  const keys = tickets.map((ticket) => ({ until: ticket.until, row: ticket.row, token: ticket.token }));
  const { results } = await mailDb(ctx)
    .prepare(RENEW)
    .bind(JSON.stringify(keys), until)
    .all<{ row: string; token: string }>();
  return results.map(nameOf);
}
