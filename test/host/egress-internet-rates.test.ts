/** The egress before eight mail systems with different limits. The .full file sends 10,000 emails and more. */
import { expect, it } from "vitest";
import { measureRates } from "./support/egress-internet/rates-run.ts";

it("each allowed rate is used, and hardly an attempt is above it", async () => {
  for (const { name, used, slowedDown, messages, emails } of await measureRates(2_000)) {
    expect(messages, name).toBe(emails);
    expect(used, name).toBeGreaterThanOrEqual(0.95);
    expect(slowedDown, name).toBeLessThanOrEqual(0.01);
  }
});
