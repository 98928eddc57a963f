/** The egress before eight mail systems with different limits: 10,000 emails, and 100,000 in `npm run test:long`. */
import { expect, it } from "vitest";
import { measureRates } from "./support/egress-internet/rates-run.ts";
import { byExtent } from "./support/extent.ts";

it("each allowed rate is used over a long time, and hardly an attempt is above it", {
  timeout: 1_800_000,
}, async () => {
  const rates = await measureRates(byExtent({ quick: 10_000, full: 10_000, long: 100_000 }));
  for (const { name, used, slowedDown, messages, emails } of rates) {
    expect(messages, name).toBe(emails);
    expect(used, name).toBeGreaterThanOrEqual(0.95);
    expect(slowedDown, name).toBeLessThanOrEqual(0.01);
  }
});
