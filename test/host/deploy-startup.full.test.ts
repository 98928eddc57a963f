import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { measureStartupCpu } from "./support/startup-cpu.ts";

const root = path.join(import.meta.dirname, "../..");
const vars = {
  PUBLIC_URL: "https://mail.shop.se",
  MX_HOST: "mx.shop.se",
  SMTP_HOST: "smtp.shop.se",
  SPF_DOMAIN: "spf.shop.se",
  BOUNCE_DOMAIN: "bounces.shop.se",
};

/**
 * Most CPU of the bundle's start, against that of the reference module. Cloudflare allows one second. Where the bundle took 290 ms, half of a
 * second was 1.72 times as much; it takes 3.5 times the CPU of the reference module, of which that is six times.
 */
const MOST = 6;

it("the bundle starts with half of the CPU that the platform allows, measured against a module that never changes", async () => {
  const folder = await mkdtemp(path.join(tmpdir(), "email-delivery-deploy-"));
  const settings = path.join(folder, "settings.json");
  await writeFile(settings, JSON.stringify({ vars, databases: {} }));
  const flags = [path.join(root, "dev/deploy.ts"), "--env", "production", "--dry-run", "--settings", settings];
  const PATH = [path.join(root, "node_modules/.bin"), process.env.PATH].join(path.delimiter);
  await promisify(execFile)(process.execPath, flags, { env: { ...process.env, EGRESS_URL: "", PATH } });
  await rm(folder, { recursive: true });
  const { bundle, reference } = await measureStartupCpu(path.join(root, ".wrangler/dry-run/production/index.js"));
  console.log(`The bundle starts with ${bundle.toFixed(0)} ms of CPU, the reference with ${reference.toFixed(0)} ms.`);
  expect(reference).toBeGreaterThan(20);
  expect(bundle).toBeGreaterThan(20);
  expect(bundle / reference).toBeLessThan(MOST);
});
