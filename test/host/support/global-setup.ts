/** Makes once what the test files share: the bundled Worker, databases that are migrated, and a browser that is unpacked. */
import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { bundleOnce, removeBundle, SHARED_BUNDLE } from "./hosts/bundle.ts";
import { startHost } from "./hosts/start.ts";
import { PACKAGED_CHROMIUM, unpackChromium } from "./packaged-chromium.ts";
import { findTestPort } from "./ports.ts";

/** Provides the bundle and the browser to the test processes by variables. */
export default async function setup() {
  const stateDir = await mkdtemp(path.join(os.tmpdir(), "email-delivery-migrated-"));
  const vars = { MASTER_KEYS: `1:${Buffer.alloc(32, 7).toString("base64")}` };
  const host = await startHost({ stateDir, port: await findTestPort(), vars, queueSeconds: 0 });
  await host.stop();
  // Test processes and the commands that they run load wrangler, Miniflare and TypeScript once compiled.
  process.env.NODE_COMPILE_CACHE = (await bundleOnce()).compileCache;
  process.env[SHARED_BUNDLE] = JSON.stringify({ ...(await bundleOnce()), migrated: path.join(stateDir, "resources") });
  const chromium = await unpackChromium();
  if (chromium !== null) process.env[PACKAGED_CHROMIUM] = chromium;
  return async () => {
    delete process.env[PACKAGED_CHROMIUM];
    delete process.env[SHARED_BUNDLE];
    delete process.env.NODE_COMPILE_CACHE;
    await removeBundle();
    await rm(stateDir, { recursive: true, force: true });
  };
}
