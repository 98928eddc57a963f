/** How much a run does: `npm test`, `npm run test:full` or `npm run test:long`. */
const extent = process.env.TEST_LONG === "1" ? "long" : process.env.TEST_FULL === "1" ? "full" : "quick";

/** True in `npm run test:full` and `npm run test:long`. */
export const isFull = extent !== "quick";

/** Returns the counts of a test for the extent of this run. */
export function byExtent<Counts>(counts: Record<"quick" | "full" | "long", Counts>): Counts {
  return counts[extent];
}
