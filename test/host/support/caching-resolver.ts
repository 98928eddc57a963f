import { decode, encode, RECURSION_DESIRED } from "dns-packet";

/** Time for which a response without records is kept, in ms: the longest sensible one (RFC 2308 5). */
const NEGATIVE_MS = 86_400_000;
const MAX_CNAMES = 8;
/** Response codes (RFC 1035 4.1.1). */
const [NOERROR, NXDOMAIN] = [0, 3];

interface Kept {
  until: number;
  values: string[];
}

/**
 * Resolves TXT records as a receiver does behind a cache that keeps each record, a CNAME and what it leads to alike, and each response
 * without records, for its whole TTL by a clock that the test moves. Records come over HTTPS (RFC 8484) from a server without a cache.
 */
export class CachingResolver {
  readonly #server: string;
  readonly #now: () => number;
  /** By name and type. */
  readonly #kept = new Map<string, Kept>();

  constructor(dnsPort: number, now: () => number) {
    this.#server = `http://127.0.0.1:${dnsPort}/dns-query`;
    this.#now = now;
  }

  /** Returns the TXT records of a name as node:dns does. Throws when it has none, or DNS fails. */
  async resolve(name: string, type: string): Promise<string[][]> {
    if (type !== "TXT") throw new RangeError(`the resolver has no records of type ${type}`);
    let at = name.toLowerCase();
    for (let cnames = 0; cnames <= MAX_CNAMES; cnames++) {
      if (!this.#find(at, "CNAME") && !this.#find(at, "TXT")) await this.#ask(at);
      const target = this.#find(at, "CNAME")?.values[0];
      if (target === undefined) {
        const { values = [] } = this.#find(at, "TXT") ?? {};
        if (values.length === 0) throw Object.assign(new Error(`no TXT record at ${at}`), { code: "ENOTFOUND" });
        return values.map((value) => [value]);
      }
      at = target;
    }
    throw Object.assign(new Error(`too many CNAMEs at ${name}`), { code: "ESERVFAIL" });
  }

  #find(name: string, type: string): Kept | undefined {
    const kept = this.#kept.get(`${name} ${type}`);
    return kept && kept.until > this.#now() ? kept : undefined;
  }

  /** Asks the server, and keeps the records of each name of the response but those that it still has. */
  async #ask(name: string): Promise<void> {
    const query = encode({ type: "query", id: 0, flags: RECURSION_DESIRED, questions: [{ type: "TXT", name }] });
    const response = await fetch(`${this.#server}?dns=${query.toString("base64url")}`);
    const { answers = [], flags = 0 } = decode(Buffer.from(await response.arrayBuffer()));
    const rcode = flags & 0x0f;
    if (rcode !== NOERROR && rcode !== NXDOMAIN)
      throw Object.assign(new Error(`rcode ${rcode} for ${name}`), { code: "ESERVFAIL" });
    const records = answers.flatMap((answer) => {
      if (answer.type === "CNAME") return [{ key: `${answer.name} CNAME`, ttl: answer.ttl ?? 0, value: answer.data }];
      if (answer.type !== "TXT") return [];
      return [{ key: `${answer.name} TXT`, ttl: answer.ttl ?? 0, value: [answer.data].flat().map(String).join("") }];
    });
    for (const [key, ofKey] of Map.groupBy(records, (record) => record.key)) {
      const [at = "", type = ""] = key.split(" ");
      const seconds = Math.min(...ofKey.map(({ ttl }) => ttl));
      if (!this.#find(at, type))
        this.#keep(
          key,
          seconds * 1_000,
          ofKey.map(({ value }) => value),
        );
    }
    const end = records.findLast(({ key }) => key.endsWith(" CNAME"))?.value ?? name;
    if (!records.some(({ key }) => key.endsWith(" TXT"))) this.#keep(`${end} TXT`, NEGATIVE_MS, []);
  }

  #keep(key: string, ms: number, values: string[]): void {
    this.#kept.set(key, { until: this.#now() + ms, values });
  }
}
