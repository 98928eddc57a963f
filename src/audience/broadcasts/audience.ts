import type { CallerCtx } from "../../access/caller.ts";
import type { MailCtx } from "../../platform/context.ts";
import { mailDb } from "../../platform/db/client.ts";
import type { SkipReason } from "./find-suppressed.ts";
import { type Broadcast, getBroadcast } from "./queries.ts";
import type { AudienceOut } from "./report-schema.ts";
import { sizesOf } from "./split.ts";
import { findVariants } from "./variants/queries.ts";

// The mark is a copy of the suppression list, for counts. The fan-out reads the list itself
// (docs/contract/broadcasts.md#audience).
const COUNT = `
  SELECT coalesce(sum(c.suppressed IS NULL AND NOT c.soft_bounced), 0) AS eligible,
         coalesce(sum(c.suppressed IS 'unsubscribe'), 0) AS unsubscribed,
         coalesce(sum(coalesce(c.suppressed, iif(c.soft_bounced, 'soft_bounces', 'unsubscribe')) <> 'unsubscribe'), 0) AS suppressed,
         0 AS invalid
    FROM contact_lists l CROSS JOIN contacts c ON c.list = l.n AND (?3 IS NULL OR c.n <= ?3)
   WHERE l.workspace = ?1 AND l.id = ?2`;

// Of a plan of an earlier version, which did not store these numbers. The fan-out adds to them.
const COUNT_SKIPPED = `
  SELECT coalesce(sum(reason = 'suppressed'), 0) AS suppressed, coalesce(sum(reason = 'unsubscribed'), 0) AS unsubscribed,
         coalesce(sum(reason = 'invalid'), 0) AS invalid
    FROM broadcast_skipped WHERE broadcast = ?1`;

type Skipped = Record<SkipReason, number>;

/**
 * Returns how many contacts a broadcast is for, and how many are skipped and why: as fixed at the first send, or as a send
 * would find them now. Throws 404.
 */
export async function getAudience(ctx: CallerCtx, id: string): Promise<AudienceOut> {
  return countAudience(ctx, await getBroadcast(ctx, id));
}

/** Returns the same of a broadcast that was read. */
export async function countAudience(ctx: MailCtx, { row, fanOut }: Broadcast): Promise<AudienceOut> {
  const db = mailDb(ctx);
  if (fanOut?.split) {
    const { eligible, variants } = fanOut.split;
    const skipped = fanOut.split.skipped ?? (await db.prepare(COUNT_SKIPPED).bind(row.n).first<Skipped>());
    const sample = variants.reduce((sum, { size }) => sum + size, 0);
    return toAudience(eligible, sample, skipped);
  }
  const count = db.prepare(COUNT).bind(row.workspace, row.contact_list_id ?? "", fanOut?.lastContact ?? null);
  const pct = row.ab_test_pct;
  const [counted, variants] = await Promise.all([
    count.first<Skipped & { eligible: number }>(),
    pct === null ? [] : findVariants(ctx, row.n),
  ]);
  const eligible = counted?.eligible ?? 0;
  return toAudience(eligible, sizesOf(eligible, pct, variants).mailed, counted);
}

function toAudience(eligible: number, sample: number, skipped: Skipped | null): AudienceOut {
  const { suppressed = 0, unsubscribed = 0, invalid = 0 } = skipped ?? {};
  return { eligible, skipped: { suppressed, unsubscribed, invalid }, sample, remainder: eligible - sample };
}

const COUNT_ELIGIBLE = `
  SELECT count(*) AS n FROM (
    SELECT 1 FROM contacts WHERE list = ?1 AND suppressed IS NULL AND NOT soft_bounced LIMIT ?2)`;

/**
 * Returns how many contacts of a list are not suppressed, at most `limit`. It reads as many as it counts and those that are suppressed
 * between them.
 */
export async function countEligible(ctx: MailCtx, list: number, limit: number): Promise<number> {
  return (await mailDb(ctx).prepare(COUNT_ELIGIBLE).bind(list, limit).first<number>("n")) ?? 0;
}
