/** The list of all pages has what the routes have (test/host/every-page.test.ts opens them). */
import { describe, expect, it } from "vitest";
import { importBundled } from "../../dev/import-bundled.ts";
import { isNoPage, NO_PAGES, PAGES } from "../host/support/every-page/pages.ts";

describe("the list of all pages", () => {
  it("has a seeded state of each GET route that is a page, and no other", async () => {
    const { app } = await importBundled<typeof import("../../src/app.ts")>("src/app.ts");
    const routes = [...new Set(app.routes.filter(({ method }) => method === "GET").map(({ path }) => path))];
    const pages = routes.filter((route) => !isNoPage(route));
    expect(pages.toSorted(), "add a state to test/host/support/every-page/").toEqual(Object.keys(PAGES).toSorted());
    const withoutState = Object.keys(PAGES).filter((route) => Object.keys(PAGES[route] ?? {}).length === 0);
    expect(withoutState).toEqual([]);
    const unknown = Object.values(NO_PAGES)
      .flat()
      .filter((one) => !routes.some((route) => (one.endsWith("/") ? route.startsWith(one) : route === one)));
    expect(unknown, "routes that are no pages").toEqual([]);
  });
});
