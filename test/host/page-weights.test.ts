import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Host } from "../../bench/host/in-process.ts";
import { fillTopPages } from "../../bench/pages/top-pages.ts";
import { PAGE_BYTES, weigh } from "../../bench/pages/weight.ts";
import { seedWorkspace } from "../../dev/seed-workspace.ts";
import { createContext } from "../../src/platform/context.ts";
import { startWorkerHost } from "./support/worker-host.ts";

/** The weight of pages. `npm run bench -- pages` also measures how soon they are painted. */

let host: Host;

beforeAll(async () => {
  host = await startWorkerHost();
}, 120_000);

afterAll(async () => {
  await host?.stop();
});

describe("the pages of the top tasks", () => {
  it("weigh at most 30 KB at the first visit, with scripts of at most 10 KB, in webmail 20 KB", async () => {
    const ctx = createContext(host.env, "test");
    const owner = {
      name: "Example Shop",
      email: "ada@example.test",
      domain: "example.test",
      mailboxLocalPart: "hello",
    };
    const { pages, cookies } = await fillTopPages({ url: host.url, ctx, seed: await seedWorkspace(ctx, owner) });
    expect(pages.length).toBeGreaterThan(10);
    for (const { path, name, scriptBytes } of pages) {
      const { page, script } = await weigh(host.url, path, cookies);
      expect(page, name).toBeLessThanOrEqual(PAGE_BYTES);
      expect(script, name).toBeLessThanOrEqual(scriptBytes);
      expect(script, name).toBeGreaterThan(1_000);
    }
  });
});
