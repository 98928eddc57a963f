import { CONFIDENCE, clicksOf, newcombe, quantile } from "./analytics/newcombe.ts";

/** How the service itself promotes a variant of a sampled test (docs/contract/broadcasts.md#automatic-winner). */
export interface AutoPromote {
  metric: "clicks";
  /** Hours after the sample was sent. */
  after_hours: number;
  /** Least difference of click rates, from 0 to 1. */
  min_lift: number;
}

/** A variant with its delivered emails and those in which a person clicked. */
export interface Contender {
  id: string;
  label: string;
  delivered: number;
  clicked: number;
}

/**
 * Returns the variant to promote, oldest first in `contenders`, and a sentence why: the one with the highest click rate when Newcombe's
 * interval of its lead over each other is above the least difference, else the first. Null without contenders. Pure.
 */
export function chooseWinner<One extends Contender>(
  contenders: readonly One[],
  minLift: number,
): { winner: One; reason: string } | null {
  const [first] = contenders;
  if (!first) return null;
  const measured = contenders.filter(({ delivered }) => delivered > 0).toSorted((a, b) => rateOf(b) - rateOf(a));
  const [best, ...others] = measured;
  if (!best || measured.length < contenders.length)
    return { winner: first, reason: `${first.label} is the first variant; not every variant was delivered.` };
  const z = quantile(CONFIDENCE, Math.max(1, others.length));
  const leads = others.map((other) => newcombe(clicksOf(best), clicksOf(other), z).low);
  const rates = measured.map((one) => `${one.label} ${percent(rateOf(one))}`).join(", ");
  if (leads.every((low) => low > minLift))
    return { winner: best, reason: `${best.label} has the highest click rate beyond doubt (${rates}).` };
  return {
    winner: first,
    reason: `${first.label} is the first variant; the click rates do not differ enough (${rates}).`,
  };
}

const rateOf = (one: Contender) => clicksOf(one).count / one.delivered;
const percent = (rate: number) => `${(rate * 100).toFixed(1)} %`;
