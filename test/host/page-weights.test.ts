import { describe, expect, it } from "vitest";
import { PAGE_BYTES, weigh } from "./support/page-weight.ts";
import { sharedService } from "./support/shared-service.ts";
import { fillTopPages } from "./support/top-pages.ts";

/** The weight of pages. docs/performance.md says how soon they were painted. */

describe("the pages of the top tasks", () => {
  it("weigh at most 30 KB at the first visit, with scripts of at most 10 KB, in webmail 20 KB", async () => {
    const { host, ctx, addWorkspace } = await sharedService();
    const { pages, cookies } = await fillTopPages({ url: host.url, ctx, seed: await addWorkspace("weights.test") });
    expect(pages.length).toBeGreaterThan(10);
    for (const { path, name, scriptBytes } of pages) {
      const { page, script } = await weigh(host.url, path, cookies);
      expect(page, name).toBeLessThanOrEqual(PAGE_BYTES);
      expect(script, name).toBeLessThanOrEqual(scriptBytes);
      expect(script, name).toBeGreaterThan(1_000);
    }
  }, 120_000);
});
