import { forEachAtOnce } from "../../lib/at-once.ts";
import { withTimeout } from "../../lib/deadline.ts";
import { reverseName } from "../../lib/ip-addresses.ts";
import type { Ctx } from "../../platform/context.ts";
import { resolve } from "../../platform/dns/resolve.ts";
import { knownNetwork } from "./known-networks.ts";
import { knownSender } from "./known-senders.ts";

/** Servers whose names are looked up for a response, look-ups at once (an invocation has six connections), and the time for all, in ms. */
const MAX_NAMED = 20;
const CONCURRENCY = 4;
const WAIT_MS = 2_000;

/** The host name of a server, and the service that it belongs to as far as the tables of names and networks know it. */
export interface SourceName {
  host: string | null;
  service: string | null;
}

/** Returns the names of servers by address: for the first `MAX_NAMED` the PTR record if it leads back, else the network's. Never throws. */
export async function nameSources(
  ctx: Pick<Ctx, "settings">,
  sources: readonly string[],
): Promise<ReadonlyMap<string, SourceName>> {
  const names = new Map<string, SourceName>();
  for (const source of sources) {
    const service = knownNetwork(source);
    if (service !== null) names.set(source, { host: null, service });
  }
  const all = forEachAtOnce(CONCURRENCY, sources.slice(0, MAX_NAMED), async (source) => {
    const host = await findHost(ctx, source);
    if (host !== null) names.set(source, { host, service: knownSender(host) ?? knownNetwork(source) });
  });
  await withTimeout(WAIT_MS, all).catch(() => {});
  return new Map(names);
}

/** Anybody can give an address any PTR record, so only a name counts that has the address. */
async function findHost(ctx: Pick<Ctx, "settings">, source: string): Promise<string | null> {
  const name = reverseName(source);
  const pointer = name === null ? null : await resolve(ctx, name, "PTR");
  const host = pointer?.status === "ok" ? pointer.values[0] : undefined;
  if (host === undefined) return null;
  const addresses = await resolve(ctx, host, source.includes(":") ? "AAAA" : "A");
  const leadsBack = addresses.status === "ok" && addresses.values.some((address) => reverseName(address) === name);
  return leadsBack ? host : null;
}
