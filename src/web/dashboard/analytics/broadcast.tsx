import type { BroadcastAnalyticsOut } from "../../../audience/broadcasts/index.ts";
import { AppLayout, ButtonLink, Empty, List, Share, Status, Time } from "../../../http/ui/index.ts";
import { rate } from "../../../sending/analytics/index.ts";

/** The results of a broadcast by variant. After a promotion those of its sample with their verdict, and the remainder apart. */
export function BroadcastResultsPage({ results }: { results: BroadcastAnalyticsOut }) {
  const { variants, remainder, promoted_at: promotedAt } = results;
  const shown = remainder === null ? variants : [...variants, remainder];
  const most = Math.max(...shown.map(({ click_rate }) => click_rate ?? 0)) || 1;
  return (
    <AppLayout
      title={`Results of ${results.name}`}
      actions={<ButtonLink to={`/app/broadcasts/${results.broadcast_id}`} label="The broadcast" kind="quiet" />}
    >
      <p>
        <Status word={results.status} />
      </p>
      {remainder !== null && promotedAt !== null ? (
        <>
          <h2>Sample</h2>
          <p>
            As it was at the promotion, <Time at={promotedAt} as="whole" />. Later clicks do not change the verdict.
          </p>
        </>
      ) : null}
      <Figures variants={variants} most={most} caption="Variants" promoted={results.winner_variant_id} />
      <p class="soft">
        Clicks are those of people, not of scanners. Opens are no measure of a variant: mail programs load images by
        themselves, or never.
      </p>
      <h2>Comparison</h2>
      <Comparison results={results} />
      {remainder === null ? null : (
        <>
          <h2>Remainder</h2>
          <p>
            {nameOf(remainder.label)} since the promotion: the contacts outside the sample. Opens, clicks and bounces of
            its sample after the promotion count here too.
          </p>
          <Figures variants={[remainder]} most={most} caption="Remainder" promoted={null} />
        </>
      )}
    </AppLayout>
  );
}

function Comparison({ results }: { results: BroadcastAnalyticsOut }) {
  const { variants, comparisons, confidence, promoted_at: promotedAt, remainder } = results;
  const labels = new Map(variants.map(({ variant_id, label }) => [variant_id, nameOf(label)]));
  if (promotedAt !== null && remainder === null)
    return (
      <p>
        The sample was not stored at the promotion, so the variants cannot be compared any more: the promoted one counts
        all other contacts too.
      </p>
    );
  if (comparisons.length === 0)
    return <Empty>Two variants with delivered emails can be compared. This broadcast has fewer.</Empty>;
  return (
    <>
      <List
        caption="Comparison of click rates"
        columns={["Variants", "Verdict", "Difference", "Between"]}
        rows={comparisons.map(({ variant_id, other_variant_id, difference, low, high, is_significant }) => [
          `${labels.get(variant_id)} against ${labels.get(other_variant_id)}`,
          is_significant
            ? `${labels.get(difference > 0 ? variant_id : other_variant_id)} is better`
            : `No clear winner${promotedAt === null ? " yet" : ""}`,
          points(difference),
          `${points(low)} and ${points(high)}`,
        ])}
      />
      <p class="soft">
        Differences of click rates in percentage points, with {Math.round(100 * confidence)} % confidence intervals.
      </p>
    </>
  );
}

interface FiguresProps {
  caption: string;
  variants: BroadcastAnalyticsOut["variants"];
  /** Greatest click rate of the page. */
  most: number;
  /** Id of the variant that is marked as promoted. */
  promoted: string | null;
}

const Figures = ({ caption, variants, most, promoted }: FiguresProps) => (
  <List
    caption={caption}
    columns={["Variant", "Click rate", "Clicked", "Opened", "Delivered", "Bounced", "Failed", "Recipients"]}
    rows={variants.map((variant) => [
      variant.variant_id !== null && variant.variant_id === promoted ? (
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
);

const nameOf = (label: string | null) => label ?? "The broadcast itself";
const number = (count: number) => count.toLocaleString("en");
const percent = (share: number | null) => (share === null ? "–" : `${(100 * share).toFixed(1)} %`);
const points = (difference: number) => `${difference > 0 ? "+" : ""}${(100 * difference).toFixed(1)}`;
