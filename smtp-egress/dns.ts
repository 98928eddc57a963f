import { Resolver } from "node:dns/promises";
import type { Clock } from "../mail-gateway/clock.ts";
import { ExpiringCache } from "./expiring-cache.ts";

/** The addresses of a host. `isKnown` is false when DNS did not answer. */
export interface HostAddresses {
  addresses: readonly string[];
  isKnown: boolean;
  /** Names that may have TLSA records of the host; none when its addresses are not secure (DNSSEC). */
  tlsaBases: readonly string[];
}

export interface MxRecords {
  records: { exchange: string; priority: number }[];
  /** They are validated by DNSSEC. */
  isSecure: boolean;
}

/** Asks DNS. No method throws: where DNS did not answer they say so. */
export interface Dns {
  /** Returns MX records, or null without an answer. */
  mx(name: string): Promise<MxRecords | null>;
  /** Returns the texts of TXT records, or null without an answer. */
  texts(name: string): Promise<string[] | null>;
  /** Returns the addresses of a host, IPv4 first, and remembers them for their TTL. */
  addresses(name: string): Promise<HostAddresses>;
}

/** A query of one server, and how often it is repeated. */
const TIMEOUT_MS = 1_500;
const TRIES = 2;
/** Addresses of a host: more are no better. */
const MAX_ADDRESSES = 4;
/** Hosts that are remembered, and for how long, in ms. */
const MAX_HOSTS = 20_000;
const MIN_MS = 30_000;
const MAX_MS = 3_600_000;
const FAILURE_MS = 10_000;
const SECOND_MS = 1_000;

/** Asks the resolvers of the system, or others. node:dns does not tell which answers are secure, so none is. */
export class SystemDns implements Dns {
  readonly #resolver = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES });
  readonly #hosts: ExpiringCache<HostAddresses>;

  /** `servers`: addresses with port; empty: those of the system. */
  constructor(servers: readonly string[], clock: Clock) {
    this.#hosts = new ExpiringCache(MAX_HOSTS, clock);
    if (servers.length > 0) this.#resolver.setServers(servers);
  }

  async mx(name: string): Promise<MxRecords | null> {
    const records = await answerOf(this.#resolver.resolveMx(name));
    return records && { records, isSecure: false };
  }

  async texts(name: string): Promise<string[] | null> {
    const records = await answerOf(this.#resolver.resolveTxt(name));
    return records?.map((pieces) => pieces.join("")) ?? null;
  }

  addresses(name: string): Promise<HostAddresses> {
    return this.#hosts.get(name, async () => {
      const [v4, v6] = await Promise.all([
        answerOf(this.#resolver.resolve4(name, { ttl: true })),
        answerOf(this.#resolver.resolve6(name, { ttl: true })),
      ]);
      const records = [...(v4 ?? []), ...(v6 ?? [])];
      const ttl = Math.min(...records.map(({ ttl }) => ttl)) * SECOND_MS;
      const ms = records.length > 0 ? Math.min(Math.max(ttl, MIN_MS), MAX_MS) : FAILURE_MS;
      const addresses = records.slice(0, MAX_ADDRESSES).map(({ address }) => address);
      return { value: { addresses, isKnown: v4 !== null && v6 !== null, tlsaBases: [] }, ms };
    });
  }
}

/** Returns the records of an answer, none when there are none, or null when DNS did not answer. */
async function answerOf<Item>(query: Promise<Item[]>): Promise<Item[] | null> {
  try {
    return await query;
  } catch (error) {
    const { code } = error as { code?: string };
    // EBADNAME: no name can be that, so none has records.
    return ["ENOTFOUND", "ENODATA", "EBADNAME"].includes(code ?? "") ? [] : null;
  }
}
