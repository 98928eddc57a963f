/**
 * Confidence intervals of proportions (R. G. Newcombe, Interval estimation for the difference between independent
 * proportions, Statistics in Medicine 17, 1998, method 10). Pure.
 */

/** `count` successes of `of` trials. */
export interface Proportion {
  count: number;
  of: number;
}

/** The intervals of all comparisons hold at once with this confidence. */
export const CONFIDENCE = 0.95;

/** Returns the clicks of emails. An email that is sent may be clicked in before a report confirms its delivery. */
export const clicksOf = ({ clicked, delivered }: { clicked: number; delivered: number }): Proportion => ({
  count: Math.min(clicked, delivered),
  of: delivered,
});

export interface Interval {
  low: number;
  high: number;
}

/** Returns Wilson's score interval of a proportion, for the quantile `z`. `of` is above 0. */
export function wilson({ count, of }: Proportion, z: number): Interval {
  const share = count / of;
  const center = 2 * of * share + z * z;
  const spread = z * Math.sqrt(z * z + 4 * of * share * (1 - share));
  const scale = 2 * (of + z * z);
  return { low: Math.max(0, (center - spread) / scale), high: Math.min(1, (center + spread) / scale) };
}

/** Returns the interval of the difference `a - b` of two proportions, for the quantile `z`. */
export function newcombe(a: Proportion, b: Proportion, z: number): Interval {
  const [ofA, ofB] = [wilson(a, z), wilson(b, z)];
  const [shareA, shareB] = [a.count / a.of, b.count / b.of];
  const difference = shareA - shareB;
  return {
    low: difference - Math.hypot(shareA - ofA.low, ofB.high - shareB),
    high: difference + Math.hypot(ofA.high - shareA, shareB - ofB.low),
  };
}

/** Returns the quantile for two-sided intervals that all hold at once with this confidence, by Bonferroni's correction. */
export function quantile(confidence: number, comparisons: number): number {
  return normalQuantile(1 - (1 - confidence) / (2 * comparisons));
}

const A = [
  -39.69683028665376, 220.9460984245205, -275.9285104469687, 138.357751867269, -30.66479806614716, 2.506628277459239,
] as const;
const B = [-54.47609879822406, 161.5858368580409, -155.6989798598866, 66.80131188771972, -13.28068155288572] as const;
const C = [
  -0.007784894002430293, -0.3223964580411365, -2.400758277161838, -2.549732539343734, 4.374664141464968,
  2.938163982698783,
] as const;
const D = [0.007784695709041462, 0.3224671290700398, 2.445134137142996, 3.754408661907416] as const;

const polynomial = (factors: readonly number[], x: number) => factors.reduce((sum, factor) => sum * x + factor, 0);

/** Returns the quantile of the standard normal distribution for 0.5 <= p < 1 (P. J. Acklam, relative error below 1.2e-9). */
function normalQuantile(p: number): number {
  if (p <= 0.97575) {
    const q = p - 0.5;
    return (polynomial(A, q * q) * q) / (polynomial(B, q * q) * q * q + 1);
  }
  const q = Math.sqrt(-2 * Math.log(1 - p));
  return -polynomial(C, q) / (polynomial(D, q) * q + 1);
}
