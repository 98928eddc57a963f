/**
 * Rotations of a delegated domain as receivers see them. In each step of simulated time the caches of receivers ask for both keys, then
 * cron runs, then an email is signed, and mailauth verifies it and former ones. A step is a day in `npm run test:full`, for 200 days,
 * and an hour in `npm run test:long`, for two years. During an outage of the DNS API the next key cannot be published until it is due.
 */
import { createRequire } from "node:module";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startDnsServers } from "../support/dns-control-server.ts";
import { CachingResolver } from "./support/caching-resolver.ts";
import { byExtent } from "./support/extent.ts";
import { HOUR_MS, Simulation } from "./support/rotation-simulation.ts";

type Resolver = (name: string, type: string) => Promise<string[][]>;
type DkimVerify = (
  message: Buffer,
  options: { resolver: Resolver; curTime: Date },
) => Promise<{ results: { status: { result: string; comment?: string } }[] }>;
// Its types lack the `resolver` option.
const { dkimVerify } = createRequire(import.meta.url)("mailauth/lib/dkim/verify.js") as { dkimVerify: DkimVerify };

const SHORT = { days: 200, stepHours: 24, outage: { from: 95, until: 185 }, switches: 2 };
const YEARS = { days: 730, stepHours: 1, outage: { from: 275, until: 365 }, switches: 8 };
const { days, stepHours, outage, switches } = byExtent({ quick: SHORT, full: SHORT, long: YEARS });
/** Hours after which an email reaches a receiver. The last one is the time for which a former key stays published. */
const DELAYS = [0, 48, 14 * 24];

let servers: Awaited<ReturnType<typeof startDnsServers>>;
let simulation: Simulation;

beforeAll(async () => {
  servers = await startDnsServers();
  simulation = await Simulation.start(servers);
});
afterAll(async () => {
  await simulation?.stop();
  await servers?.stop();
});

async function failureOf(message: Buffer, resolver: CachingResolver): Promise<string | null> {
  const { results } = await dkimVerify(message, {
    ...{ resolver: (name, type) => resolver.resolve(name, type), curTime: new Date(simulation.now) },
  });
  const found = results.map(({ status }) => `${status.result} ${status.comment ?? ""}`.trim()).join();
  return found === "pass" ? null : found;
}

it("rotations of a delegated domain let no signature fail behind caches, and ask nothing of the customer", {
  timeout: 3_600_000,
}, async () => {
  const { dns } = servers.ports;
  const now = () => simulation.now;
  const cache = new CachingResolver(dns, now);
  const keysOf = (resolver: CachingResolver) =>
    Promise.all(simulation.selectors.map(async (name) => String(await resolver.resolve(name, "TXT"))));
  const sent = new Map<number, Buffer>();
  const signers = new Set<string>();
  const published = new Set<string>();
  const failures: string[] = [];
  let [verifications, staleSteps] = [0, 0];
  for (let hour = stepHours; hour <= days * 24; hour += stepHours) {
    simulation.now += stepHours * HOUR_MS;
    for (const key of await keysOf(cache)) published.add(key);
    if (hour === outage.from * 24) await simulation.setOutage(true);
    if (hour === outage.until * 24) await simulation.setOutage(false);
    await simulation.runCron();
    const fresh = new CachingResolver(dns, now);
    if (String(await keysOf(fresh)) !== String(await keysOf(cache))) staleSteps += 1;
    const { message, keys } = await simulation.sign();
    for (const key of keys) signers.add(key);
    sent.set(hour, message);
    for (const delay of DELAYS) {
      const former = sent.get(hour - delay);
      if (!former) continue;
      for (const [resolver, name] of [
        [cache, "cache"],
        [fresh, "no cache"],
      ] as const) {
        verifications += 1;
        const failure = await failureOf(former, resolver);
        if (failure !== null) failures.push(`hour ${hour}, ${delay} hours after it was signed, ${name}: ${failure}`);
      }
    }
    sent.delete(hour - Math.max(...DELAYS));
  }
  console.log(
    `${days} days in steps of ${stepHours} h: ${verifications} verifications, ${failures.length} failed; ${signers.size} keys signed, ` +
      `${published.size} were published; caches had another key than DNS after ${staleSteps} runs of cron`,
  );
  expect(failures.slice(0, 10)).toEqual([]);
  expect({ signers: signers.size, notifications: await simulation.countNotifications() }).toEqual({
    ...{ signers: switches + 1, notifications: 0 },
  });
  // The caches are put to the test only if they had other keys than DNS.
  expect(staleSteps).toBeGreaterThanOrEqual(switches - 1);
  expect(verifications).toBeGreaterThan((4 * days * 24) / stepHours);
});
