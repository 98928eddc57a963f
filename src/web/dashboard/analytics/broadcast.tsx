import type { CallerCtx } from "../../../access/caller.ts";
import type { BroadcastAnalyticsOut } from "../../../audience/broadcasts/index.ts";
import { ButtonLink, Empty, Layout, List, Share, Status } from "../../../http/ui/index.ts";
import { rate } from "../../../sending/analytics/index.ts";

interface BroadcastResultsPageProps {
  caller: CallerCtx;
  results: BroadcastAnalyticsOut;
}

/** The results of a broadcast by variant, and whether their difference is more than chance. */
export function BroadcastResultsPage({ caller, results }: BroadcastResultsPageProps) {
  const labels = new Map(results.variants.map(({ variant_id, label }) => [variant_id, nameOf(label)]));
  const most = Math.max(...results.variants.map(({ click_rate }) => click_rate ?? 0)) || 1;
  return (
    <Layout
      title={`Results of ${results.name}`}
      caller={caller}
      at="/app/analytics"
      actions={<ButtonLink to={`/app/broadcasts/${results.broadcast_id}`} label="The broadcast" kind="quiet" />}
    >
      <p>
        <Status word={results.status} />
      </p>
      <List
        caption="Variants"
        columns={["Variant", "Click rate", "Clicked", "Opened", "Delivered", "Bounced", "Failed", "Recipients"]}
        rows={results.variants.map((variant) => [
          variant.variant_id !== null && variant.variant_id === results.winner_variant_id ? (
            <strong>{nameOf(variant.label)} (promoted)</strong>
          ) : (
            nameOf(variant.label)
          ),
          <Share of={(variant.click_rate ?? 0) / most} text={percent(variant.click_rate)} />,
          number(variant.clicked),
          `${number(variant.opened)} (${percent(rate(variant.opened, variant.delivered))})`,
          ...[variant.delivered, variant.bounced, variant.failed, variant.queued].map(number),
        ])}
      />
      <p class="soft">
        Clicks are those of people, not of scanners. Opens are no measure of a variant: mail programs load images by
        themselves, or never.
      </p>
      <h2>Comparison</h2>
      {results.comparisons.length === 0 ? (
        <Empty>Two variants with delivered emails can be compared. This broadcast has fewer.</Empty>
      ) : (
        <>
          <List
            caption="Comparison of click rates"
            columns={["Variants", "Difference", "Between", "Verdict"]}
            rows={results.comparisons.map(({ variant_id, other_variant_id, difference, low, high, is_significant }) => [
              `${labels.get(variant_id)} against ${labels.get(other_variant_id)}`,
              points(difference),
              `${points(low)} and ${points(high)}`,
              is_significant
                ? `${labels.get(difference > 0 ? variant_id : other_variant_id)} is better`
                : "No clear winner yet",
            ])}
          />
          <p class="soft">
            Differences of click rates in percentage points, with {Math.round(100 * results.confidence)} % confidence
            intervals.
          </p>
        </>
      )}
    </Layout>
  );
}

const nameOf = (label: string | null) => label ?? "The broadcast itself";
const number = (count: number) => count.toLocaleString("en");
const percent = (share: number | null) => (share === null ? "–" : `${(100 * share).toFixed(1)} %`);
const points = (difference: number) => `${difference > 0 ? "+" : ""}${(100 * difference).toFixed(1)}`;
