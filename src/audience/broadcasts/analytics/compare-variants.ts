import * as z from "zod";
import { named, timestamp } from "../../../lib/serialize.ts";
import { isoOrNull } from "../../../lib/time.ts";
import { rate } from "../../../sending/analytics/index.ts";
import type { BroadcastResults } from "../results.ts";
import { CONFIDENCE, clicksOf, newcombe, quantile } from "./newcombe.ts";

const count = z.int().min(0);
const share = z.number().min(0).max(1).nullable();
const difference = z.number().min(-1).max(1);

const example = {
  queued: 500,
  attempted: 500,
  delivered: 495,
  bounced: 4,
  failed: 1,
  cancelled: 0,
  opened: 260,
  unsubscribed: 2,
  complained: 0,
};

const VariantFigures = z.object({
  variant_id: z.uuid().nullable().describe("null: the broadcast's own content."),
  label: z.string().nullable(),
  queued: count,
  attempted: count,
  delivered: count,
  bounced: count,
  failed: count,
  cancelled: count,
  opened: count,
  clicked: count.describe("Emails in which a person followed a link."),
  unsubscribed: count,
  complained: count.describe("Emails that a person marked as spam."),
  click_rate: share.describe("clicked of delivered. null: none was delivered."),
});

/** Results of a broadcast by variant (docs/contract/analytics.md#results-of-variants). */
export const BroadcastAnalyticsOut = z
  .object({
    broadcast_id: z.uuid(),
    name: z.string(),
    status: z.string(),
    winner_variant_id: z.uuid().nullable().describe("The variant that was promoted."),
    confidence: z.number().describe("With this probability all intervals below hold at once (Bonferroni)."),
    opens_reliable: z
      .literal(false)
      .describe("Opens are no measure of a variant: mail programs load images by themselves, or never."),
    promoted_at: timestamp.nullable(),
    variants: z
      .array(VariantFigures)
      .describe("After a promotion: the variants in the sample, as they were when the winner was promoted."),
    remainder: VariantFigures.nullable().describe(
      "The promoted variant since its promotion: the contacts outside the sample, and late events of the sample. null: nothing was promoted, or by a version that did not store the sample. variants are then totals, and after a promotion without comparisons.",
    ),
    comparisons: z
      .array(
        z.object({
          variant_id: z.uuid(),
          other_variant_id: z.uuid(),
          difference: difference.describe("Click rate of the variant minus that of the other."),
          low: difference,
          high: difference,
          is_significant: z.boolean().describe("The interval does not contain 0."),
        }),
      )
      .describe(
        "Each pair of variants with delivered emails: Newcombe's interval of the difference of click rates. After a promotion that of the sample.",
      ),
  })
  .meta(
    named("AnalyticsBroadcast", {
      broadcast_id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a11",
      name: "November news",
      status: "sent",
      winner_variant_id: null,
      confidence: CONFIDENCE,
      opens_reliable: false,
      promoted_at: null,
      remainder: null,
      variants: [
        {
          variant_id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a12",
          label: "A",
          ...example,
          clicked: 60,
          click_rate: 0.121212,
        },
        {
          variant_id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a13",
          label: "B",
          ...example,
          clicked: 30,
          click_rate: 0.060606,
        },
      ],
      comparisons: [
        {
          variant_id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a12",
          other_variant_id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a13",
          difference: 0.060606,
          low: 0.024586,
          high: 0.097189,
          is_significant: true,
        },
      ],
    }),
  );
export type BroadcastAnalyticsOut = z.output<typeof BroadcastAnalyticsOut>;

type Variant = BroadcastResults["variants"][number];

/** Returns the difference of the click rates of each pair of variants with delivered emails, with its interval. */
export function compareVariants(variants: readonly Variant[]): BroadcastAnalyticsOut["comparisons"] {
  const compared = variants.filter(
    (variant): variant is Variant & { id: string } => variant.id !== null && variant.delivered > 0,
  );
  const pairs = compared.flatMap((a, index) => compared.slice(index + 1).map((b) => [a, b] as const));
  const z = quantile(CONFIDENCE, Math.max(1, pairs.length));
  return pairs.map(([a, b]) => {
    const { low, high } = newcombe(clicksOf(a), clicksOf(b), z);
    const [lower, upper] = [round(low), round(high)];
    const rates = clicksOf(a).count / a.delivered - clicksOf(b).count / b.delivered;
    const pair = { variant_id: a.id, other_variant_id: b.id, difference: round(rates), low: lower, high: upper };
    return { ...pair, is_significant: lower > 0 || upper < 0 };
  });
}

/** Serializes the results of a broadcast. No pair is compared when the counts of sample and remainder are mixed. */
export function toBroadcastAnalytics({
  id,
  name,
  status,
  winnerId,
  promotedAt,
  variants,
  remainder,
}: BroadcastResults): BroadcastAnalyticsOut {
  const isMixed = promotedAt !== null && remainder === null;
  return {
    broadcast_id: id,
    name,
    status,
    winner_variant_id: winnerId,
    confidence: CONFIDENCE,
    opens_reliable: false as const,
    promoted_at: isoOrNull(promotedAt),
    variants: variants.map(toFigures),
    remainder: remainder && toFigures(remainder),
    comparisons: isMixed ? [] : compareVariants(variants),
  };
}

const toFigures = ({ id, label, ...counts }: Variant) => ({
  variant_id: id,
  label,
  ...counts,
  click_rate: rate(counts.clicked, counts.delivered),
});

const round = (value: number) => Math.round(value * 1e6) / 1e6;
