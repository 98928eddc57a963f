/** The egress before mail systems with each kind of limit, alone and two together, of which it does not know: before and after a restart. */
import { expect, it } from "vitest";
import { measureLimits } from "./support/egress-internet/limits-run.ts";
import { byExtent } from "./support/extent.ts";

it("each kind of limit is learned after each start, then used, and hardly an attempt is above it", {
  timeout: 3_600_000,
}, async () => {
  // The time that docs/egress/own-egress.md names.
  const short = { learnSeconds: 180, measuredSeconds: 96, windowSeconds: 12 };
  const long = { learnSeconds: 300, measuredSeconds: 900, windowSeconds: 60 };
  const limits = await measureLimits(byExtent({ quick: short, full: short, long }));
  const rows = limits.map(({ name, first, afterRestart }) => ({ name, first, afterRestart }));
  const percent = (share: number) => `${(100 * share).toFixed(1)} %`;
  console.table(
    rows.map(({ name, first, afterRestart }) => ({
      limits: name,
      used: percent(first.used),
      refused: percent(first.refused),
      "used after restart": percent(afterRestart.used),
      "refused after restart": percent(afterRestart.refused),
    })),
  );
  for (const { name, first, afterRestart, recipients, copies, recipientsWithCopy } of limits) {
    expect.soft([recipientsWithCopy, copies], name).toEqual([recipients, recipients]);
    for (const { used, refused } of [first, afterRestart]) {
      expect.soft(used, name).toBeGreaterThanOrEqual(0.95);
      expect.soft(refused, name).toBeLessThanOrEqual(0.01);
    }
  }
});
