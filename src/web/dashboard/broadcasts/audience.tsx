import { type AudienceOut, type BroadcastOut, sizesOf, type VariantOut } from "../../../audience/broadcasts/index.ts";
import { counted, Numbers } from "../../../http/ui/index.ts";

interface Part {
  label: string;
  contacts: number;
  /** Class of its colour. */
  kind: string;
}

const KINDS = ["accent", "plan", "good", "warn", "info"];

interface SplitProps {
  broadcast: Pick<BroadcastOut, "ab_test_pct">;
  variants: readonly Pick<VariantOut, "label" | "weight">[];
  audience: AudienceOut;
  /** True when the sample has its variants already. */
  isSent?: boolean;
}

/** The audience of a broadcast before it is sent: who gets which variant, and how many contacts are skipped. Null: it cannot be counted. */
export const Audience = ({ audience, ...split }: Omit<SplitProps, "audience"> & { audience: AudienceOut | null }) => (
  <>
    <h2>Audience</h2>
    {audience === null ? (
      <p>No list is chosen, or it has too many contacts to count.</p>
    ) : (
      <>
        {audience.note === undefined ? null : <p>{audience.note}</p>}
        <AudienceSplit {...split} audience={audience} />
        <Numbers
          numbers={[
            { name: "Get it", value: number(audience.eligible) },
            ...Object.entries(audience.skipped).map(([reason, skipped]) => ({
              name: `Skipped: ${reason === "pending" ? "not confirmed" : reason}`,
              value: number(skipped),
            })),
          ]}
        />
      </>
    )}
  </>
);

/** Who gets which variant now and who waits, in words and as a bar. */
export function AudienceSplit({ broadcast, variants, audience, isSent = false }: SplitProps) {
  const { isSample, mailed, byVariant } = sizesOf(audience.eligible, broadcast.ab_test_pct, variants);
  if (variants.length === 0) return <p>{`${counted(mailed, "contact")} ${mailed === 1 ? "gets" : "get"} it.`}</p>;
  const kindOf = (index: number) => KINDS[index % KINDS.length] ?? "accent";
  const parts = variants.map(({ label }, index) => ({ label, contacts: byVariant[index] ?? 0, kind: kindOf(index) }));
  const waiting = isSample ? [{ label: "waiting", contacts: audience.eligible - mailed, kind: "soft" }] : [];
  return (
    <>
      <p>{sentence(mailed, isSample ? audience.eligible - mailed : null, isSent)}</p>
      <Bar parts={[...parts, ...waiting]} />
    </>
  );
}

const number = (value: number) => value.toLocaleString("en");

/** `waiting` is null when no contact waits for a winner. */
function sentence(mailed: number, waiting: number | null, isSent: boolean): string {
  const now = isSent
    ? `${number(mailed)} have a variant`
    : `${number(mailed)} ${mailed === 1 ? "gets" : "get"} a variant now`;
  if (waiting === null) return `${now}. No contact waits for a winner.`;
  return `${now}; ${number(waiting)} ${waiting === 1 ? "waits" : "wait"} for your winner.`;
}

/** Parts of an audience as one bar, with their shares below it. */
function Bar({ parts }: { parts: readonly Part[] }) {
  const total = Math.max(
    1,
    parts.reduce((sum, { contacts }) => sum + contacts, 0),
  );
  const share = (contacts: number) => `${Math.round((100 * contacts) / total)} %`;
  let end = 0;
  return (
    <figure class="split">
      <svg viewBox="0 0 1000 10" preserveAspectRatio="none" aria-hidden="true">
        {parts.map(({ contacts, kind }) => {
          const [x, width] = [end, (1000 * contacts) / total];
          end += width;
          return <rect class={`fill ${kind}`} x={x.toFixed(1)} y="0" width={width.toFixed(1)} height="10" />;
        })}
      </svg>
      <figcaption>
        <ul>
          {parts.map(({ label, contacts, kind }) => (
            <li>
              <svg class="key" viewBox="0 0 8 8" aria-hidden="true">
                <rect class={`fill ${kind}`} width="8" height="8" rx="2" />
              </svg>
              {share(contacts)} {label} <span class="soft">({number(contacts)})</span>
            </li>
          ))}
        </ul>
      </figcaption>
    </figure>
  );
}
