import { median, type Row } from "./table.ts";

const MAX_RATIO = 3;

/** Returns the row of the longest of these waits as a ratio of the longest quiet one in the same run. All in ms. */
export function toRatio(what: string, waits: readonly number[], quiet: readonly number[]): Row {
  const [longest, usual] = [Math.max(...waits), Math.max(...quiet)];
  const texts = [longest, usual, median(waits), median(quiet)].map((ms) => ms.toFixed(0));
  return {
    what,
    value: `${(longest / usual).toFixed(1)} times the quiet wait (${texts[0]} of ${texts[1]} ms, median ${texts[2]} of ${texts[3]})`,
    budget: `${MAX_RATIO} times`,
    isMet: longest <= MAX_RATIO * usual,
  };
}
