import type { CallerCtx } from "../../../access/caller.ts";
import { type BroadcastOut, isEditable, type VariantOut } from "../../../audience/broadcasts/index.ts";
import type { Refusal } from "../../../http/page-form.ts";
import { Field, List, Live, PostButton } from "../../../http/ui/index.ts";
import { may } from "./rights.ts";
import { share } from "./share.ts";

/** Returns whether the sample of a test was sent and the other contacts wait for the winner. */
export const isWaitingForWinner = (
  { status, ab_test_pct, ab_promoted_at }: BroadcastOut,
  variants: readonly VariantOut[],
) => status === "sent" && ab_test_pct !== null && variants.length >= 2 && !ab_promoted_at;

interface VariantsProps {
  caller: CallerCtx;
  broadcast: BroadcastOut;
  variants: readonly VariantOut[];
  path: string;
  isPolled: boolean;
  refusal: Refusal | undefined;
}

/** The variants of a broadcast with their results, which change by themselves, and the form that adds one. */
export function Variants({ caller, broadcast, variants, path, isPolled, refusal }: VariantsProps) {
  const mayPromote = may(caller, "send") && isWaitingForWinner(broadcast, variants);
  const mayChange = isEditable(broadcast.status) && may(caller, "manage");
  const mayAct = mayPromote || mayChange;
  return (
    <>
      <h2>Variants</h2>
      <Live id="variants" isPolled={isPolled}>
        {variants.length === 0 ? <p>Every recipient gets the same content.</p> : null}
        {variants.length === 0 ? null : (
          <List
            caption="Variants"
            columns={["Variant", "Subject", "Weight", "Delivered", "Opened", "Clicked", ...(mayAct ? ["Action"] : [])]}
            rows={variants.map((variant) => [
              variant.id === broadcast.ab_winner_variant_id ? `${variant.label} (promoted)` : variant.label,
              variant.subject,
              variant.weight,
              variant.delivered_count.toLocaleString("en"),
              share(variant.opened_count, variant.delivered_count),
              share(variant.clicked_count, variant.delivered_count),
              ...(mayAct ? [<VariantAction variant={variant} path={path} mayPromote={mayPromote} />] : []),
            ])}
          />
        )}
      </Live>
      {mayChange ? (
        <form class="filter" method="post" action={`${path}/variants`}>
          <input type="hidden" name="idempotency_key" value={crypto.randomUUID()} />
          <Field name="label" label="Name of a variant" errors={refusal?.errors} />
          <Field name="variant_subject" label="Its subject" errors={refusal?.errors} />
          <button class="quiet" type="submit">
            Add variant
          </button>
        </form>
      ) : null}
    </>
  );
}

const VariantAction = ({ variant, path, mayPromote }: { variant: VariantOut; path: string; mayPromote: boolean }) =>
  mayPromote ? (
    <a href={`${path}/promote/${variant.id}`}>Promote {variant.label}</a>
  ) : (
    <PostButton to={`${path}/variants/${variant.id}/delete`} label={`Delete ${variant.label}`} kind="link" />
  );
