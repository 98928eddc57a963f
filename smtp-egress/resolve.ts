import { Resolver } from "node:dns/promises";
import { isIP } from "node:net";
import type { AddressIssue } from "./allowed-addresses.ts";
import { ExpiringCache } from "./expiring-cache.ts";
import { type MailServers, type Route, routeOf } from "./route.ts";

export interface RoutesOptions {
  /** Host name of this server, which is never a server of another domain. */
  ownName: string;
  issueOf(address: string): AddressIssue;
  /** DNS servers with port; empty: those of the system. */
  dnsServers: readonly string[];
}

/** A query of one server, and how often it is repeated. */
const TIMEOUT_MS = 1_500;
const TRIES = 2;
/** Hosts of a domain whose addresses are looked up, and addresses of a host: more are no better. */
const MAX_HOSTS = 8;
const MAX_ADDRESSES = 4;
/** Domains and hosts that are remembered. */
const MAX_DOMAINS = 20_000;
const MAX_HOST_NAMES = 20_000;
/** For how long, in ms. node:dns does not tell the TTL of MX records. */
const ROUTE_MS = 300_000;
const REFUSAL_MS = 60_000;
const FAILURE_MS = 10_000;
const MIN_ADDRESS_MS = 30_000;
const MAX_ADDRESS_MS = 3_600_000;
const SECOND_MS = 1_000;

interface HostAddresses {
  addresses: string[];
  /** False when DNS did not answer. */
  isKnown: boolean;
}

/** Looks up where mail of a domain goes (RFC 5321 5.1), and remembers it. */
export class Routes {
  readonly #options: RoutesOptions;
  readonly #resolver = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES });
  readonly #routes = new ExpiringCache<Route>(MAX_DOMAINS);
  readonly #addresses = new ExpiringCache<HostAddresses>(MAX_HOST_NAMES);

  constructor(options: RoutesOptions) {
    this.#options = options;
    if (options.dnsServers.length > 0) this.#resolver.setServers(options.dnsServers);
  }

  /** Returns the route of a domain of A-labels, or of an address literal. Never throws. */
  routeOf(domain: string): Promise<Route> {
    return this.#routes.get(domain.toLowerCase(), async (name) => {
      const route = await this.#lookUp(name);
      const ms = { hosts: ROUTE_MS, refused: REFUSAL_MS, failed: FAILURE_MS }[route.kind];
      return { value: route, ms };
    });
  }

  async #lookUp(domain: string): Promise<Route> {
    const servers = await this.#mailServers(domain);
    return servers === null
      ? { kind: "failed", reason: `DNS did not answer about ${domain}` }
      : routeOf(servers, this.#options.ownName, this.#options.issueOf);
  }

  /** Returns the mail servers of a domain, best preference first and equals in random order. Null: DNS did not answer. */
  async #mailServers(domain: string): Promise<MailServers | null> {
    const [, literal] = /^\[(?:ipv6:)?(.+)\]$/.exec(domain) ?? [];
    if (literal !== undefined) {
      const host = { name: domain, preference: 0, addresses: isIP(literal) ? [literal] : [], isKnown: true };
      return { domain, isImplicit: true, hosts: [host] };
    }
    const records = await this.#mxRecords(domain);
    if (records === null) return null;
    const isImplicit = records.length === 0;
    const names = isImplicit ? [{ exchange: domain, priority: 0 }] : records;
    const ordered = names
      .map((record) => ({ record, order: Math.random() }))
      .sort((a, b) => a.record.priority - b.record.priority || a.order - b.order)
      .slice(0, MAX_HOSTS);
    const hosts = ordered.map(async ({ record: { exchange, priority } }) => {
      const name = exchange.toLowerCase().replace(/\.$/, "");
      return { name, preference: priority, ...(await this.#addressesOf(name)) };
    });
    return { domain, isImplicit, hosts: await Promise.all(hosts) };
  }

  async #mxRecords(domain: string): Promise<{ exchange: string; priority: number }[] | null> {
    try {
      return await this.#resolver.resolveMx(domain);
    } catch (error) {
      return isAbsence(error) ? [] : null;
    }
  }

  #addressesOf(name: string): Promise<HostAddresses> {
    // A null MX (RFC 7505).
    if (name === "") return Promise.resolve({ addresses: [], isKnown: true });
    return this.#addresses.get(name, async () => {
      const [v4, v6] = await Promise.allSettled([
        this.#resolver.resolve4(name, { ttl: true }),
        this.#resolver.resolve6(name, { ttl: true }),
      ]);
      const records = [v4, v6].flatMap((result) => (result.status === "fulfilled" ? result.value : []));
      const isKnown = [v4, v6].every((result) => result.status === "fulfilled" || isAbsence(result.reason));
      const ttl = Math.min(...records.map(({ ttl }) => ttl)) * SECOND_MS;
      const ms = records.length > 0 ? Math.min(Math.max(ttl, MIN_ADDRESS_MS), MAX_ADDRESS_MS) : FAILURE_MS;
      return { value: { addresses: records.slice(0, MAX_ADDRESSES).map(({ address }) => address), isKnown }, ms };
    });
  }
}

/** Returns whether DNS has answered that there is no such record. */
function isAbsence(error: unknown): boolean {
  const { code } = error as { code?: string };
  return code === "ENOTFOUND" || code === "ENODATA";
}
