import type { BroadcastOut, VariantOut } from "../../../audience/broadcasts/index.ts";
import { List, Live } from "../../../http/ui/index.ts";
import { may } from "./rights.ts";
import { share } from "./share.ts";

/** Returns whether the sample of a test was sent and the other contacts wait for the winner. */
export const isWaitingForWinner = (
  { status, ab_test_pct, ab_promoted_at }: BroadcastOut,
  variants: readonly VariantOut[],
) => status === "sent" && ab_test_pct !== null && variants.length >= 2 && !ab_promoted_at;

interface VariantsProps {
  broadcast: BroadcastOut;
  variants: readonly VariantOut[];
  path: string;
  isPolled: boolean;
}

/** The variants of a broadcast with their results, which change by themselves. */
export function Variants({ broadcast, variants, path, isPolled }: VariantsProps) {
  const mayPromote = may("send") && isWaitingForWinner(broadcast, variants);
  return (
    <>
      <h2>Variants</h2>
      <Live id="variants" isPolled={isPolled}>
        <List
          caption="Variants"
          kind="variants"
          columns={["Variant", "Subject", "Weight", "Delivered", "Opened", "Clicked", mayPromote && "Action"]}
          empty={<p>Every recipient gets the same content.</p>}
          rows={variants.map((variant) => [
            variant.id === broadcast.ab_winner_variant_id ? `${variant.label} (promoted)` : variant.label,
            variant.subject,
            variant.weight,
            variant.delivered_count.toLocaleString("en"),
            share(variant.opened_count, variant.delivered_count),
            share(variant.clicked_count, variant.delivered_count),
            <a href={`${path}/promote/${variant.id}`}>Promote {variant.label}</a>,
          ])}
        />
        {broadcast.ab_promoted_at === null ? null : (
          <p class="soft">
            The counts of the promoted variant include the contacts outside the sample.{" "}
            <a href={`/app/analytics/broadcasts/${broadcast.id}`}>The comparison</a> shows the sample apart.
          </p>
        )}
      </Live>
    </>
  );
}
