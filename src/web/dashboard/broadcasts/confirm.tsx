import type { CallerCtx } from "../../../access/caller.ts";
import {
  type AudienceOut,
  type BroadcastOut,
  type Promotion,
  sampleIssue,
  sizesOf,
  type VariantOut,
} from "../../../audience/broadcasts/index.ts";
import { ConfirmPage } from "../../../http/ui/index.ts";

const count = (contacts: number) => `${contacts.toLocaleString("en")} ${contacts === 1 ? "contact" : "contacts"}`;
const verb = (contacts: number, word: string) => `${contacts.toLocaleString("en")} ${word}${contacts === 1 ? "s" : ""}`;

interface SendProps {
  caller: CallerCtx;
  broadcast: BroadcastOut;
  variants: readonly Pick<VariantOut, "label" | "weight">[];
  /** Null when there is no list, or it cannot be counted. */
  audience: AudienceOut | null;
}

/** The page that asks before a broadcast is sent. It says who gets what now, and who waits. */
export const SendPage = ({ caller, broadcast, variants, audience }: SendProps) => (
  <ConfirmPage
    title={`Send ${broadcast.name}?`}
    caller={caller}
    button="Send now"
    isFinal={false}
    back={`/app/broadcasts/${broadcast.id}`}
    at="/app/broadcasts"
  >
    {audience === null ? "It is sent to the contacts of its list." : whoGetsWhat(broadcast, variants, audience)}
  </ConfirmPage>
);

function whoGetsWhat(
  { ab_test_pct }: BroadcastOut,
  variants: SendProps["variants"],
  { eligible, remainder }: AudienceOut,
): string {
  const { isSample, mailed, byVariant } = sizesOf(eligible, ab_test_pct, variants);
  const issue = isSample ? sampleIssue(eligible, ab_test_pct ?? 0, variants) : null;
  if (issue !== null) return `It cannot be sent like this. ${issue}.`;
  if (variants.length === 0) return `${count(mailed)} ${mailed === 1 ? "gets" : "get"} it.`;
  const shares = variants.map(({ label }, index) => `${verb(byVariant[index] ?? 0, "get")} ${label}`).join(", ");
  const now = `${count(mailed)} ${mailed === 1 ? "gets" : "get"} a variant now: ${shares}.`;
  if (!isSample) return `${now} No contact waits for a winner.`;
  return `${now} ${verb(remainder, "wait")} for the winner, which you promote on the page of the broadcast.`;
}

interface PromoteProps {
  caller: CallerCtx;
  promotion: Promotion;
  /** Value of the hidden field, so that the form has one effect however often it is sent. */
  idempotencyKey: string;
}

/** The page that asks before the winner of a test is sent to the contacts outside the sample. */
export const PromotePage = ({ caller, promotion, idempotencyKey }: PromoteProps) => {
  const { broadcast, variant, sample, remainder } = promotion;
  return (
    <ConfirmPage
      title={`Promote ${variant.label} of ${broadcast.row.name}?`}
      caller={caller}
      button={`Send ${variant.label} to ${count(remainder)}`}
      isFinal={false}
      back={`/app/broadcasts/${broadcast.row.id}`}
      at="/app/broadcasts"
      fields={{ idempotency_key: idempotencyKey }}
    >
      {`${count(remainder)} who ${remainder === 1 ? "is" : "are"} not in the sample of ${sample.toLocaleString("en")} ${remainder === 1 ? "gets" : "get"} the variant ${variant.label}, "${variant.subject}". Contacts that are suppressed or deleted meanwhile get none. No other variant can be promoted afterwards.`}
    </ConfirmPage>
  );
};
