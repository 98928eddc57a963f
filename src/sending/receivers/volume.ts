import { DAY_MS, dayOf } from "../../lib/time.ts";
import type { Ctx } from "../../platform/context.ts";

/** The volume of a source address at one receiver. */
export interface VolumeRow {
  receiver: string;
  /** Emails that it has accepted on this day (UTC). */
  today: number;
  /** Start of the first day with an accepted email, in ms since 1970. */
  since: number;
}

/** Days for which volume and receivers of domains are kept: longer than the longest warm-up, and a month of statistics. */
export const VOLUME_DAYS = 60;

/** Receivers of one source address that are read at most, those with most emails first. */
const MAX_RECEIVERS = 2_000;

const READ = `
  SELECT receiver, sum(iif(day = ?2, emails, 0)) AS today, min(day) AS first FROM egress_volume
   WHERE address = ?1 GROUP BY receiver ORDER BY sum(emails) DESC LIMIT ?3`;

/** Returns by receiver the emails of a source address, for its warm-up. Called when an egress starts. */
export async function readVolume(ctx: Pick<Ctx, "db" | "now">, address: string): Promise<VolumeRow[]> {
  const values = [address, dayOf(ctx.now()), MAX_RECEIVERS];
  const results = await ctx.db.listRows<{ receiver: string; today: number; first: number }>(READ, ...values);
  return results.map(({ receiver, today, first }) => ({ receiver, today, since: first * DAY_MS }));
}
