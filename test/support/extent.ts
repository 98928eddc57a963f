import { env } from "cloudflare:workers";

/** How much a run does: `npm test`, `npm run test:full` or `npm run test:long`. */
const extent = env.TEST_LONG ? "long" : env.TEST_FULL ? "full" : "quick";

/** Returns the counts of a test for the extent of this run. */
export function byExtent<Counts>(counts: Record<"quick" | "full" | "long", Counts>): Counts {
  return counts[extent];
}
