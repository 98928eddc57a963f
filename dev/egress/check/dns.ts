import { Resolver } from "node:dns/promises";
import { isIPv4, parseIp } from "../../../src/lib/ip-addresses.ts";

/** Codes of node:dns for a name without such a record. */
const NO_RECORD = ["ENOTFOUND", "ENODATA"];
const TIMEOUT_MS = 3_000;

/** Returns a resolver that asks these servers (`192.0.2.53` or `127.0.0.1:5353`), or those of the system when there are none. */
export function createResolver(servers: readonly string[]): Resolver {
  const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: 2 });
  if (servers.length > 0) resolver.setServers([...servers]);
  return resolver;
}

/** Returns what a question finds, an empty list without a record. Throws an Error when the resolver has no answer. */
export async function find<Found>(question: Promise<Found[]>): Promise<Found[]> {
  try {
    return await question;
  } catch (error) {
    const { code = "" } = error as { code?: string };
    if (NO_RECORD.includes(code)) return [];
    throw new Error(`the resolver has no answer (${code})`);
  }
}

/** Returns the IPv4 and IPv6 addresses of a host. */
export async function addressesOf(resolver: Resolver, host: string): Promise<string[]> {
  const found = await Promise.all([find(resolver.resolve4(host)), find(resolver.resolve6(host))]);
  return found.flat();
}

/** Returns the names that the PTR records of an address have. Unlike `reverse` it does not read the hosts file of the machine. */
export function namesOf(resolver: Resolver, address: string): Promise<string[]> {
  const zone = address.includes(":") ? "ip6.arpa" : "in-addr.arpa";
  return find(resolver.resolvePtr(`${reversedAddress(address)}.${zone}`));
}

/** Returns an address as zones have it: the numbers of IPv4 or the digits of IPv6, from the last to the first. */
export function reversedAddress(address: string): string {
  const ip = parseIp(address);
  if (ip === null) throw new Error(`${address} is no IP address`);
  if (isIPv4(ip)) return [...ip.octets].reverse().join(".");
  return [...ip.parts.map((part) => part.toString(16).padStart(4, "0")).join("")].reverse().join(".");
}
