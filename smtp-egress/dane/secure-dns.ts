import type { Answer, RecordType } from "dns-packet";
import type { Clock } from "../../mail-gateway/clock.ts";
import type { Dns, HostAddresses, MxRecords } from "../dns.ts";
import { ExpiringCache } from "../expiring-cache.ts";
import { queryDns } from "./dns-query.ts";
import type { ResolverAddress } from "./resolver-address.ts";
import { Slots } from "./slots.ts";
import type { TlsaRecord } from "./tlsa.ts";

/** Questions that wait for the resolver at a time: each has a socket. */
const MAX_QUESTIONS = 200;
/** Addresses of a host, and TLSA records of one: more are no better. */
const MAX_ADDRESSES = 4;
const MAX_TLSA = 32;
/** Aliases of a host that are followed. */
const MAX_ALIASES = 8;
/** Hosts that are remembered, and for how long, in ms. */
const MAX_HOSTS = 20_000;
const MIN_MS = 30_000;
const MAX_MS = 3_600_000;
const FAILURE_MS = 10_000;
const SECOND_MS = 1_000;

/** The TLSA records of a name, and for how long they hold, in ms; without a TTL null. */
export interface TlsaAnswer {
  records: TlsaRecord[];
  isSecure: boolean;
  ms: number | null;
}

/** Asks a validating resolver on this machine, and reads from its AD bit which answers are secure. */
export class SecureDns implements Dns {
  /** Answers so far. */
  readonly counts = { secure: 0, insecure: 0, failed: 0 };
  readonly #resolver: ResolverAddress;
  readonly #slots = new Slots(MAX_QUESTIONS);
  readonly #hosts: ExpiringCache<HostAddresses>;

  constructor(resolver: ResolverAddress, clock: Clock) {
    this.#resolver = resolver;
    this.#hosts = new ExpiringCache(MAX_HOSTS, clock);
  }

  async mx(name: string): Promise<MxRecords | null> {
    const found = await this.#askOrNull(name, "MX");
    if (found === null) return null;
    const records = found.answers.flatMap((answer) =>
      answer.type === "MX" ? [{ exchange: answer.data.exchange, priority: answer.data.preference ?? 0 }] : [],
    );
    return { records, isSecure: found.isSecure };
  }

  async texts(name: string): Promise<string[] | null> {
    const found = await this.#askOrNull(name, "TXT");
    return found?.answers.flatMap((answer) => (answer.type === "TXT" ? [textOf(answer.data)] : [])) ?? null;
  }

  addresses(name: string): Promise<HostAddresses> {
    return this.#hosts.get(name, async () => {
      const [v4, v6] = await Promise.all([this.#askOrNull(name, "A"), this.#askOrNull(name, "AAAA")]);
      const answered = [v4, v6].flatMap((found) => (found && addressesIn(found.answers).length > 0 ? [found] : []));
      const records = answered.flatMap(({ answers }) => answers);
      const ttl = ttlMs(records);
      const ms = ttl === null ? FAILURE_MS : Math.min(Math.max(ttl, MIN_MS), MAX_MS);
      const addresses = addressesIn(records).slice(0, MAX_ADDRESSES);
      const isSecure = answered.length > 0 && answered.every((found) => found.isSecure);
      const tlsaBases = await this.#tlsaBases(name, records, isSecure);
      return { value: { addresses, isKnown: v4 !== null && v6 !== null, tlsaBases }, ms };
    });
  }

  /** Returns TLSA records. Throws an Error that says why there is no answer. */
  async tlsa(name: string): Promise<TlsaAnswer> {
    const { answers, isSecure } = await this.#ask(name, "TLSA");
    const records = answers.flatMap((answer) => (answer.type === "TLSA" ? [answer.data] : []));
    return { records: records.slice(0, MAX_TLSA), isSecure, ms: ttlMs(answers) };
  }

  /** Returns the names that may have TLSA records of a host: that to which its aliases lead, then its own (RFC 7672 2.2.2). */
  async #tlsaBases(name: string, records: readonly Answer[], isSecure: boolean): Promise<string[]> {
    const target = followAliases(name, records);
    if (isSecure) return [...new Set([target, name])];
    if (target === name) return [];
    // The alias may be secure although its target is not.
    const alias = await this.#askOrNull(name, "CNAME");
    return alias?.isSecure && alias.answers.some(({ type }) => type === "CNAME") ? [name] : [];
  }

  async #askOrNull(name: string, type: RecordType) {
    return this.#ask(name, type).catch(() => null);
  }

  async #ask(name: string, type: RecordType) {
    try {
      const found = await this.#slots.run(() => queryDns(this.#resolver, name, type));
      this.counts[found.isSecure ? "secure" : "insecure"] += 1;
      return found;
    } catch (error) {
      this.counts.failed += 1;
      throw error;
    }
  }
}

/** Returns the name to which the aliases of an answer lead. */
function followAliases(name: string, answers: readonly Answer[]): string {
  const aliases = new Map(
    answers.flatMap((answer) => (answer.type === "CNAME" ? [[toName(answer.name), toName(answer.data)]] : [])),
  );
  let target = name;
  for (let hops = 0; hops < MAX_ALIASES; hops++) target = aliases.get(target) ?? target;
  return target;
}

const toName = (name: string) => name.toLowerCase().replace(/\.$/, "");

function addressesIn(answers: readonly Answer[]): string[] {
  return answers.flatMap((answer) => (answer.type === "A" || answer.type === "AAAA" ? [answer.data] : []));
}

function textOf(data: string | Buffer | (string | Buffer)[]): string {
  return Buffer.concat([data].flat().map((piece) => Buffer.from(piece))).toString("utf8");
}

function ttlMs(answers: readonly Answer[]): number | null {
  const ttls = answers.flatMap((answer) => ("ttl" in answer && answer.ttl !== undefined ? [answer.ttl] : []));
  return ttls.length > 0 ? Math.min(...ttls) * SECOND_MS : null;
}
