import { parseIp } from "../../lib/ip-addresses.ts";
import { type Network, parseSpf, type SpfTerm } from "./parse.ts";

/** Returns the values of a name and type, as src/platform/dns does, or null when DNS did not respond. */
export type SpfLookUp = (name: string, type: "TXT" | "A" | "AAAA" | "MX") => Promise<readonly string[] | null>;

/** All that an SPF record says, with those it includes. */
export interface SpfEvaluation {
  /** SPF records at the name itself. */
  records: string[];
  /** Terms that ask DNS, all together: ten are allowed (RFC 7208 4.6.4). */
  lookups: number;
  /** Terms of the record at the name, with the look-ups that each causes. */
  costs: { term: string; lookups: number }[];
  /** Names that a term asks for and that do not exist: two are allowed. */
  voids: string[];
  errors: string[];
  /** Networks whose mail passes. */
  networks: Network[];
  /** Domains whose record is included so that its mail passes, in lower case. */
  included: Set<string>;
  /** Domains that are included with another qualifier than `+`. */
  notPassed: Set<string>;
  /** Terms of the record at the name that stand after `all` or `redirect`, where no receiver reads them. */
  unread: string[];
  /** The qualifier of `all`, by the record at the name or what it redirects to; null: there is none. */
  all: SpfTerm["qualifier"] | null;
  usesPtr: boolean;
  /** True when DNS did not respond to a query, so that more may be wrong. */
  isIncomplete: boolean;
}

/** Records that are read for one evaluation. One that asks for more has too many look-ups anyway. */
const MAX_RECORDS = 16;
/** Queries for addresses and MX records. */
const MAX_HOSTS = 12;

/** Returns whether a TXT value is an SPF record (RFC 7208 4.5). */
export const isSpfRecord = (text: string): boolean => /^v=spf1(?: |$)/i.test(text);

/**
 * Reads the SPF record of a name and all that it includes: at most 16 TXT look-ups, and those for 12 hosts. `service`: domain of the
 * record that its operator is responsible for; one that is missing there is no error of the name.
 */
export async function walkSpf(lookUp: SpfLookUp, name: string, service: string): Promise<SpfEvaluation> {
  const walk = new Walk(lookUp, service);
  await walk.read(name, { path: [], isPass: true, isTop: true });
  return walk.result;
}

interface Place {
  /** Names of the records that lead here. */
  path: readonly string[];
  /** True when mail that matches here passes. */
  isPass: boolean;
  /** True when `all` here is that of the whole record. */
  isTop: boolean;
}

class Walk {
  readonly result: SpfEvaluation = {
    records: [],
    lookups: 0,
    costs: [],
    voids: [],
    errors: [],
    networks: [],
    included: new Set(),
    notPassed: new Set(),
    unread: [],
    all: null,
    usesPtr: false,
    isIncomplete: false,
  };
  private readonly lookUp: SpfLookUp;
  private readonly service: string;
  private recordsLeft = MAX_RECORDS;
  private hostsLeft = MAX_HOSTS;

  constructor(lookUp: SpfLookUp, service: string) {
    this.lookUp = lookUp;
    this.service = service;
  }

  /** Reads the record of a name. Look-ups are one after the other: each depends on the record before it. */
  async read(name: string, place: Place): Promise<void> {
    const { result } = this;
    if (this.recordsLeft-- <= 0) return;
    const values = await this.lookUp(name, "TXT");
    if (values === null) {
      result.isIncomplete = true;
      return;
    }
    const records = values.filter(isSpfRecord);
    const isFirst = place.path.length === 0;
    if (isFirst) result.records = records;
    if (records.length !== 1 && !isFirst && name !== this.service) {
      const found = records.length === 0 ? "has no SPF record" : `has ${records.length} SPF records`;
      result.errors.push(`${name}, which the record includes or redirects to, ${found}`);
    }
    // Several records at the name itself are to be merged, so the look-ups of all count.
    for (const record of records.length === 1 || isFirst ? records : []) await this.readTerms(name, record, place);
  }

  private async readTerms(name: string, record: string, place: Place): Promise<void> {
    const { result } = this;
    const isFirst = place.path.length === 0;
    const { terms, errors } = parseSpf(record);
    for (const error of errors) result.errors.push(isFirst ? error : `in the record of ${name}: ${error}`);
    const end = terms.findIndex((term) => term.name === "all");
    const redirect = end === -1 ? terms.find((term) => term.name === "redirect") : undefined;
    const mechanisms = terms.filter(({ name: of }) => of !== "redirect" && of !== "exp" && of !== "all");
    const read = end === -1 ? mechanisms : mechanisms.filter((term) => terms.indexOf(term) < end);
    if (isFirst) result.unread = mechanisms.filter((term) => !read.includes(term)).map(({ text }) => text);
    if (place.isTop && end !== -1) result.all = terms[end]?.qualifier ?? null;
    for (const term of [...read, ...(redirect ? [redirect] : [])]) {
      const before = result.lookups;
      await this.readTerm(name, term, place);
      if (isFirst && result.lookups > before) result.costs.push({ term: term.text, lookups: result.lookups - before });
    }
  }

  private async readTerm(at: string, term: SpfTerm, place: Place): Promise<void> {
    const { result } = this;
    const isPass = place.isPass && term.qualifier === "+";
    if (term.network) {
      if (isPass) result.networks.push(term.network);
      return;
    }
    result.lookups += 1;
    if (term.name === "ptr") result.usesPtr = true;
    // The value of a macro depends on the message.
    if (term.domain.includes("%") || term.name === "exists" || term.name === "ptr") return;
    const target = term.domain || at;
    if (term.name === "include" || term.name === "redirect") await this.follow(at, target, { ...place, isPass }, term);
    else if (term.name === "a") await this.readHosts(target, term, isPass);
    else await this.readMx(target, term, isPass);
  }

  private async follow(at: string, target: string, { path, isPass, isTop }: Place, term: SpfTerm): Promise<void> {
    const { result } = this;
    if (path.includes(target) || target === at) {
      result.errors.push(`${target} includes itself`);
      return;
    }
    (isPass ? result.included : result.notPassed).add(target);
    await this.read(target, { path: [...path, at], isPass, isTop: isTop && term.name === "redirect" });
  }

  private async readHosts(host: string, { prefix }: SpfTerm, isPass: boolean): Promise<void> {
    // A null MX has no host (RFC 7505).
    if (host === "" || this.hostsLeft-- <= 0) return;
    const ipv4 = await this.lookUp(host, "A");
    const ipv6 = isPass || ipv4?.length === 0 ? await this.lookUp(host, "AAAA") : [];
    if (ipv4 === null || ipv6 === null) this.result.isIncomplete = true;
    else if (ipv4.length + ipv6.length === 0) this.result.voids.push(host);
    for (const address of isPass ? [...(ipv4 ?? []), ...(ipv6 ?? [])] : []) {
      const bytes = parseIp(address)?.toByteArray();
      if (bytes) this.result.networks.push({ bytes, bits: bytes.length === 4 ? prefix[0] : prefix[1] });
    }
  }

  private async readMx(domain: string, term: SpfTerm, isPass: boolean): Promise<void> {
    if (this.hostsLeft-- <= 0) return;
    const values = await this.lookUp(domain, "MX");
    if (values === null) this.result.isIncomplete = true;
    else if (values.length === 0) this.result.voids.push(domain);
    else if (values.length > 10) this.result.errors.push(`${domain} has ${values.length} MX records, and mx allows 10`);
    else if (isPass)
      for (const value of values.slice(0, 3)) await this.readHosts(value.split(" ")[1] ?? "", term, true);
  }
}
