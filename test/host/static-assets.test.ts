/** Requests that the static assets take (`[assets]` of wrangler.toml), by the router of the platform as Miniflare runs it. */
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { importBundled } from "../../dev/import-bundled.ts";
import { bundleOnce, ROOT } from "./support/hosts/bundle.ts";
import { type Service, sharedService } from "./support/shared-service.ts";
import { temporaryFolder } from "./support/suite.ts";

/** The header that each response of the Worker has. */
const WORKER_HEADER = "X-Request-Id";
/** A path that is no route of the Worker. */
const NO_ROUTE = "/no-route";

describe("requests of the files in public/", () => {
  let host: Service["host"];

  beforeAll(async () => {
    host = (await sharedService()).host;
  }, 120_000);

  it("are served without the Worker, scripts and styles to be kept for a year", async () => {
    const entries = await readdir(path.join(ROOT, "public"), { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile() && entry.name !== "_headers");
    expect(files.length).toBeGreaterThan(4);
    for (const { parentPath, name } of files) {
      const file = path.join(parentPath, name);
      const url = `${host.url}/${path.relative(path.join(ROOT, "public"), file)}`;
      const response = await fetch(url);
      expect(response.status, url).toBe(200);
      expect(response.headers.get(WORKER_HEADER), url).toBeNull();
      expect(Buffer.from(await response.arrayBuffer()).equals(await readFile(file)), url).toBe(true);
      const etag = response.headers.get("ETag") ?? "";
      expect((await fetch(url, { headers: { "If-None-Match": etag } })).status, url).toBe(304);
      if (!url.includes("/assets/")) continue;
      expect(response.headers.get("Cache-Control"), url).toBe("public, max-age=31536000, immutable");
      expect(response.headers.get("X-Content-Type-Options"), url).toBe("nosniff");
    }
  });

  it("of another version are a 404 that no browser keeps", async () => {
    const response = await fetch(`${host.url}/assets/page-00000000.js`);
    expect(response.status).toBe(404);
    expect(response.headers.get("Cache-Control")).toBe("no-store");
    expect(response.headers.get(WORKER_HEADER)).not.toBeNull();
  });
});

describe("requests of the routes", () => {
  const folder = temporaryFolder();
  let miniflare: Miniflare;
  let paths: string[];

  /** Starts a Worker that responds "worker", with a file for each path of a route and for NO_ROUTE among its assets. */
  beforeAll(async () => {
    const { app } = await importBundled<typeof import("../../src/app.ts")>("src/app.ts");
    const patterns = app.routes.filter(({ method }) => method !== "ALL").map((route) => route.path);
    paths = [...new Set(patterns.map((pattern) => pattern.replace(/:[^/]+|\*/g, "x")))];
    for (const each of [...paths, NO_ROUTE]) {
      const file = path.join(folder, each.endsWith("/") ? `${each}index.html` : `${each}.html`);
      await mkdir(path.dirname(file), { recursive: true });
      await writeFile(file, "asset");
    }
    const { assets } = JSON.parse(await readFile((await bundleOnce()).workerOptions, "utf8"));
    const contents = 'export default { fetch: () => new Response("worker") };';
    const modules = [{ type: "ESModule" as const, path: "worker.mjs", contents }];
    miniflare = new Miniflare(
      convertV4MiniflareOptions({
        ...{ host: "127.0.0.1", port: 0, cf: false },
        workers: [{ name: "routes", modules, assets: { ...assets, directory: folder } }],
      }),
    );
    await miniflare.ready;
  }, 120_000);

  afterAll(async () => {
    await miniflare?.dispose();
  });

  const responseTo = async (each: string) => (await fetch(new URL(each, await miniflare.ready))).text();

  it("reach the Worker without a look-up among the assets, even where an asset has their path", async () => {
    expect(await responseTo(NO_ROUTE)).toBe("asset");
    expect(paths.length).toBeGreaterThan(200);
    const lookedUp: string[] = [];
    for (const each of paths) if ((await responseTo(each)) !== "worker") lookedUp.push(each);
    expect(lookedUp).toEqual([]);
  });
});
