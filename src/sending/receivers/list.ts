import { dayOf } from "../../lib/time.ts";
import type { Ctx } from "../../platform/context.ts";

/** A receiver, as operators see it. */
export interface ReceiverRow {
  receiver: string;
  /** Emails that it has accepted today (UTC), from all source addresses. */
  accepted_today: number;
  /** Until when it takes no mail, in ms since 1970, and the reply that caused it; null: it takes mail. */
  until: number | null;
  reason: string | null;
  /** Name of the egress from which it takes none (src/sending/receivers/egress-name.ts). */
  egress: string | null;
}

/** Receivers that are listed at most: those that wait, then those with the most mail. */
const MAX_RECEIVERS = 100;

const LIST = `
  WITH today AS (SELECT receiver, sum(emails) AS accepted_today FROM egress_volume WHERE day = ?1 GROUP BY receiver),
  waits AS (SELECT receiver, egress, until, reason FROM egress_waits WHERE until > ?2)
  SELECT * FROM (
  SELECT w.receiver, coalesce(t.accepted_today, 0) AS accepted_today, w.until, w.reason, w.egress
    FROM waits w LEFT JOIN today t ON t.receiver = w.receiver
  UNION ALL
  SELECT t.receiver, t.accepted_today, NULL, NULL, NULL FROM today t WHERE t.receiver NOT IN (SELECT receiver FROM waits))
   ORDER BY until IS NULL, accepted_today DESC, receiver LIMIT ?3`;

/** Returns the receivers that egresses of our own told today: those that take no mail now, then by accepted mail. */
export async function listReceivers(ctx: Pick<Ctx, "db" | "now">): Promise<ReceiverRow[]> {
  return ctx.db.listRows<ReceiverRow>(LIST, dayOf(ctx.now()), ctx.now(), MAX_RECEIVERS);
}
