import { isIP } from "node:net";
import type { Clock } from "../mail-gateway/clock.ts";
import type { AddressIssue } from "./allowed-addresses.ts";
import type { Dns, HostAddresses } from "./dns.ts";
import { ExpiringCache } from "./expiring-cache.ts";
import { type MailServers, type Route, routeOf } from "./route.ts";

export interface RoutesOptions {
  dns: Dns;
  /** Host name of this server, which is never a server of another domain. */
  ownName: string;
  issueOf(address: string): AddressIssue;
  clock: Clock;
}

/** Hosts of a domain whose addresses are looked up: more are no better. */
const MAX_HOSTS = 8;
/** Domains that are remembered, and for how long, in ms. node:dns does not tell the TTL of MX records. */
const MAX_DOMAINS = 20_000;
const ROUTE_MS = 300_000;
const REFUSAL_MS = 60_000;
const FAILURE_MS = 10_000;

const NULL_MX: HostAddresses = { addresses: [], isKnown: true, tlsaBases: [] };

/** Looks up where mail of a domain goes (RFC 5321 5.1), and remembers it. */
export class Routes {
  readonly #options: RoutesOptions;
  readonly #routes: ExpiringCache<Route>;

  constructor(options: RoutesOptions) {
    this.#options = options;
    this.#routes = new ExpiringCache(MAX_DOMAINS, options.clock);
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
      const addresses = isIP(literal) ? [literal] : [];
      const host = { name: domain, preference: 0, addresses, isKnown: true, tlsaBases: [] };
      return { domain, isImplicit: true, hosts: [host] };
    }
    const found = await this.#options.dns.mx(domain);
    if (found === null) return null;
    const { records, isSecure } = found;
    const isImplicit = records.length === 0;
    const ordered = (isImplicit ? [{ exchange: domain, priority: 0 }] : records)
      .map((record) => ({ ...record, order: Math.random() }))
      .sort((a, b) => a.priority - b.priority || a.order - b.order)
      .slice(0, MAX_HOSTS);
    const hosts = ordered.map(async ({ exchange, priority }) => {
      const name = exchange.toLowerCase().replace(/\.$/, "");
      // The name of a null MX is empty (RFC 7505).
      const found = name === "" ? NULL_MX : await this.#options.dns.addresses(name);
      return { name, preference: priority, ...found, tlsaBases: isSecure ? found.tlsaBases : [] };
    });
    return { domain, isImplicit, hosts: await Promise.all(hosts) };
  }
}
