import type { CallerCtx } from "../../access/caller.ts";
import { iso } from "../../lib/time.ts";
import type { MailCtx } from "../../platform/context.ts";
import { findTopic, type TopicRow } from "../../sending/topics/index.ts";
import { findSegment } from "../segments/index.ts";
import { type Broadcast, type BroadcastRow, findContactLists, getBroadcast, listIdsOf } from "./queries.ts";
import type { AudienceOut } from "./report-schema.ts";
import type { SkipCounts } from "./skip-reasons.ts";
import { sizesOf } from "./split.ts";
import { countDiffering, leftOf } from "./topic-audience.ts";
import { findVariants } from "./variants/queries.ts";

// A person in several lists counts in the first. The mark is a copy of the suppression list, for counts. The fan-out reads the list itself
// (docs/contract/broadcasts.md#audience).
const COUNT = `
  SELECT coalesce(sum(c.suppressed IS NULL AND NOT c.soft_bounced AND c.pending_since IS NULL), 0) AS eligible,
         coalesce(sum(c.suppressed IS NULL AND NOT c.soft_bounced AND c.pending_since IS NOT NULL), 0) AS pending,
         coalesce(sum(c.suppressed IS 'unsubscribe'), 0) AS unsubscribed,
         coalesce(sum(coalesce(c.suppressed, iif(c.soft_bounced, 'soft_bounces', 'unsubscribe')) <> 'unsubscribe'), 0) AS suppressed,
         0 AS invalid
    FROM json_each(?2) j JOIN contact_lists l ON l.workspace = ?1 AND l.id = j.value
    CROSS JOIN contacts c ON c.list = l.n AND (?3 IS NULL OR c.n <= ?3)
   WHERE j.key = 0 OR NOT EXISTS (
     SELECT 1 FROM json_each(?2) k JOIN contact_lists e ON e.workspace = ?1 AND e.id = k.value
       CROSS JOIN contacts d ON d.workspace = ?1 AND d.email_key = c.email_key AND d.list = e.n
      WHERE k.key < j.key AND (?3 IS NULL OR d.n <= ?3))`;

// Of a plan of an earlier version, which did not store these numbers. The fan-out adds to them.
const COUNT_SKIPPED = `
  SELECT coalesce(sum(reason = 'suppressed'), 0) AS suppressed, coalesce(sum(reason = 'unsubscribed'), 0) AS unsubscribed,
         coalesce(sum(reason = 'invalid'), 0) AS invalid
    FROM broadcast_skipped WHERE broadcast = ?1`;

type Skipped = Partial<SkipCounts>;

/** Returns how many contacts a broadcast is for and how many are skipped, as its first send fixed it, or as of now. Throws 404. */
export const getAudience = async (ctx: CallerCtx, id: string): Promise<AudienceOut> =>
  countAudience(ctx, await getBroadcast(ctx, id));

/** Returns the same of a broadcast that was read. */
export async function countAudience(ctx: MailCtx, { row, fanOut }: Broadcast): Promise<AudienceOut> {
  const db = ctx.mail;
  if (fanOut?.split) {
    const { eligible, variants } = fanOut.split;
    const skipped = fanOut.split.skipped ?? (await db.findRow<Skipped>(COUNT_SKIPPED, row.n));
    const sample = variants.reduce((sum, { size }) => sum + size, 0);
    return toAudience(eligible, sample, skipped);
  }
  if (row.segment_id !== null) return estimateSegment(ctx, row, row.segment_id);
  const count = db.prepare(COUNT).bind(row.workspace, JSON.stringify(listIdsOf(row)), fanOut?.lastContact ?? null);
  const pct = row.ab_test_pct;
  const found = count.first<Skipped & { eligible: number }>();
  const [counted, variants] = await Promise.all([found, pct === null ? [] : findVariants(ctx, row.n)]);
  const notSuppressed = counted?.eligible ?? 0;
  const left = row.topic_id === null ? 0 : await countLeft(ctx, { row, fanOut }, notSuppressed);
  const eligible = notSuppressed - left;
  const skipped = counted && { ...counted, unsubscribed: (counted.unsubscribed ?? 0) + left };
  return toAudience(eligible, sizesOf(eligible, pct, variants).mailed, skipped);
}

/** Returns the last count of the segment of a broadcast, if there is one: its audience is counted when it is sent. */
async function estimateSegment(ctx: MailCtx, row: BroadcastRow, id: string): Promise<AudienceOut> {
  const segment = await findSegment(ctx, row.workspace, id);
  const count = segment?.count?.status === "done" ? segment.count : null;
  const eligible = count?.count ?? 0;
  const variants = row.ab_test_pct === null ? [] : await findVariants(ctx, row.n);
  const about = count ? `The segment had ${eligible} people at ${iso(count.at)}` : "The segment was not counted yet";
  const note = `${about}. The audience is counted when the broadcast is sent, without those who are skipped.`;
  return { ...toAudience(eligible, sizesOf(eligible, row.ab_test_pct, variants).mailed, null), note };
}

/** Returns how many of the persons who are not suppressed get nothing because of the topic of a broadcast. */
async function countLeft(ctx: MailCtx, { row, fanOut }: Pick<Broadcast, "row" | "fanOut">, eligible: number) {
  const { workspace, topic_id: topicId } = row;
  const topic = topicId && (await findTopic(ctx, workspace, topicId));
  if (!topic) return leftOf(null, eligible, 0);
  const lists = fanOut?.lists ?? (await findContactLists(ctx, workspace, listIdsOf(row))).map(({ n }) => n);
  const lastContact = fanOut?.lastContact ?? null;
  return leftOf(topic, eligible, await countDiffering(ctx, topic, { workspace, lists, lastContact }));
}

function toAudience(eligible: number, sample: number, skipped: Skipped | null): AudienceOut {
  const { suppressed = 0, unsubscribed = 0, invalid = 0, pending = 0 } = skipped ?? {};
  return { eligible, skipped: { suppressed, unsubscribed, invalid, pending }, sample, remainder: eligible - sample };
}

const COUNT_ELIGIBLE = `
  SELECT count(*) AS n FROM (
    SELECT DISTINCT email_key FROM contacts
     WHERE list IN (SELECT value FROM json_each(?1)) AND suppressed IS NULL AND NOT soft_bounced AND pending_since IS NULL LIMIT ?2)`;

/**
 * Returns how many persons of lists are not suppressed, and subscribed to the topic if there is one, at most `limit`. It reads as many
 * as it counts and those that are suppressed between them, and the choices that differ from the default of the topic.
 */
export async function countEligible(
  ctx: MailCtx,
  { workspace, lists, topic }: { workspace: number; lists: readonly number[]; topic: TopicRow | null },
  limit: number,
): Promise<number> {
  const differing = topic === null ? 0 : await countDiffering(ctx, topic, { workspace, lists, lastContact: null });
  if (topic?.defaultChoice === "unsubscribed") return Math.min(limit, differing);
  const count = ctx.mail.prepare(COUNT_ELIGIBLE).bind(JSON.stringify(lists), limit + differing);
  return Math.max(0, ((await count.first<number>("n")) ?? 0) - differing);
}
