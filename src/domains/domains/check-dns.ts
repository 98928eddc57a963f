import { findPolicy } from "../../mail/dmarc/tree-walk.ts";
import { covers } from "../../mail/spf/parse.ts";
import { isSpfRecord, type SpfEvaluation, walkSpf } from "../../mail/spf/walk.ts";
import type { Ctx } from "../../platform/context.ts";
import type { RecordStatus } from "../../platform/db/schema/main/domains.ts";
import { type DnsResult, resolve } from "../../platform/dns/resolve.ts";
import { evaluateRecord, type RecordResult } from "./evaluate-record.ts";
import type { ExpectedRecord } from "./expected-record.ts";
import type { DkimKeyRow, DomainRow, DomainWithKeys } from "./queries.ts";
import { expectedRecords } from "./records.ts";
import { dkimState } from "./rules.ts";

/** The result of one DNS check of a domain. */
export interface DnsCheck {
  /** `fail`: a required record is missing or wrong. `temperror`: DNS did not respond for one (RFC 8601 2.7). */
  verdict: "pass" | "fail" | "temperror";
  /** Statuses of all records. A record that DNS did not respond for keeps its previous status. */
  statuses: Record<string, RecordStatus>;
  /** Values that were found at records that are missing or wrong, within bounds. */
  found: Record<string, string[]>;
  /** Ids of the pending DKIM keys to activate: all pending keys of a domain by hand, the first of a delegated one, or none. */
  activate: string[];
  /** Ids of the active DKIM keys that they replace. */
  retire: string[];
}

/** Characters of a value, and values of a name, that are stored: anybody can publish anything there. */
const MAX_VALUE = 500;
const MAX_VALUES = 5;

/**
 * Resolves all records of a domain, without writing anything. When every pending DKIM key is published, the records of the active keys are
 * no longer required. At most 13 DNS queries, and 32 for an SPF record or a DMARC policy not at its own name.
 */
export async function checkDns(ctx: Ctx, { domain, keys, hosts }: DomainWithKeys): Promise<DnsCheck> {
  const records = expectedRecords(ctx.settings, domain, keys, hosts);
  const responses = await Promise.all(
    records.map(({ name, type, leadsTo }) => resolve(ctx, name, leadsTo === undefined ? type : "TXT")),
  );
  const evaluated = await Promise.all(
    records.map(async (record, index) => {
      const response: DnsResult = responses[index] ?? { status: "temperror", reason: "not asked" };
      const result = evaluateRecord(record, response);
      return { record, response, result: await evaluateInherited(ctx, { record, response, result }) };
    }),
  );
  const results = new Map(evaluated.map(({ record, result }) => [record.key, result]));
  const lastOf = (key: string) => domain.records[key] ?? ("pending" as const);
  const statuses = Object.fromEntries(
    evaluated.map(({ record: { key }, result }) => [key, result === "temperror" ? lastOf(key) : result]),
  );
  const { activate, retire } = newSigners(domain, keys, results);
  const required = records.filter(
    ({ purpose, required }) => required && !(activate.length > 0 && isProof(purpose, domain)),
  );
  const requiredResults = required.map(({ key }) => results.get(key));
  return {
    verdict: requiredResults.includes("temperror")
      ? "temperror"
      : requiredResults.every((result) => result === "verified")
        ? "pass"
        : "fail",
    statuses,
    found: Object.fromEntries(
      evaluated.flatMap(({ record, result, response }) => {
        const isWrong = result === "missing" || result === "mismatch";
        return isWrong && response.status === "ok" ? [[record.key, foundValues(response)]] : [];
      }),
    ),
    activate,
    retire,
  };
}

/** Returns whether the keys that are found take the place of a record: of the other keys, and of the token when the CNAMEs prove it. */
const isProof = (purpose: string, { setup }: DomainRow) =>
  purpose === "dkim" || (purpose === "ownership" && setup === "delegated");

/** Returns the keys that sign from now on, and those that no longer do. A rotation of a delegated domain changes them later. */
function newSigners(
  { setup }: DomainRow,
  keys: readonly DkimKeyRow[],
  results: ReadonlyMap<string, unknown>,
): Pick<DnsCheck, "activate" | "retire"> {
  const own = keys.filter(({ slot }) => (slot !== null) === (setup === "delegated"));
  const pending = own.filter((key) => dkimState(key) === "pending");
  const hasSigner = setup === "delegated" && own.some((key) => dkimState(key) === "active");
  const isReady = pending.length > 0 && pending.every(({ selector }) => results.get(`dkim:${selector}`) === "verified");
  if (hasSigner || !isReady) return { activate: [], retire: [] };
  const first = pending.toSorted((a, b) => (a.slot ?? 0) - (b.slot ?? 0)).slice(0, 1);
  return {
    activate: (setup === "delegated" ? first : pending).map(({ id }) => id),
    retire: keys.filter((key) => dkimState(key) === "active").map(({ id }) => id),
  };
}

const foundValues = ({ values, aliases = [] }: { values: string[]; aliases?: string[] }): string[] =>
  [...aliases.map((name) => `CNAME ${name}`), ...values]
    .slice(0, MAX_VALUES)
    .map((value) => value.slice(0, MAX_VALUE).toWellFormed().replaceAll("\0", "\uFFFD"));

/** DNS queries for one record. Most domains need none, or the one to three of a policy above them. */
const MAX_QUERIES = 16;

interface Evaluated {
  record: Pick<ExpectedRecord, "purpose" | "name">;
  response: DnsResult;
  result: RecordResult;
}

/**
 * Returns the result of a record as receivers see it, who find more than stands at its name: a DMARC policy above the domain (RFC 9989
 * 4.10), and what an SPF record includes or redirects to (RFC 7208 5.2, 6.1). Asks DNS only about these two, when the record itself is
 * not enough, so that the list of records agrees with the health of the domain.
 */
async function evaluateInherited(
  ctx: Pick<Ctx, "settings">,
  { record, response, result }: Evaluated,
): Promise<RecordResult> {
  if (response.status === "temperror") return result;
  const lookups = new BoundedLookups(ctx, record.name, response.values);
  if (record.purpose === "dmarc" && result === "missing") {
    const policy = await findPolicy((name) => lookups.values(name, "TXT"), record.name.replace(/^_dmarc\./, ""));
    if (policy === null) return "temperror";
    return policy === "none" ? "missing" : "verified";
  }
  const isOneRecord = response.values.filter(isSpfRecord).length === 1;
  if (record.purpose !== "spf" || result !== "mismatch" || !isOneRecord) return result;
  return evaluateSpf(lookups, record.name, ctx.settings.spfDomain);
}

async function evaluateSpf(lookups: BoundedLookups, name: string, spfDomain: string): Promise<RecordResult> {
  const found = await walkSpf(lookups.values, name, spfDomain);
  if (found.included.has(spfDomain) || found.all === "+") return "verified";
  // A record may have the addresses of the service in place of its name.
  const service = found.networks.length === 0 ? null : await walkSpf(lookups.values, spfDomain, spfDomain);
  if (service && hasAll(found, service)) return "verified";
  const isUnknown = (found.isIncomplete || service?.isIncomplete === true) && !lookups.isExhausted;
  return isUnknown ? "temperror" : "mismatch";
}

const hasAll = ({ networks }: SpfEvaluation, service: SpfEvaluation): boolean =>
  service.networks.length > 0 &&
  !service.isIncomplete &&
  service.networks.every((network) => covers(networks, network));

/** Asks DNS for each name and type once, and at most MAX_QUERIES times. The values of the record itself are known. */
class BoundedLookups {
  isExhausted = false;
  private readonly ctx: Pick<Ctx, "settings">;
  private readonly known: Map<string, readonly string[] | null>;

  constructor(ctx: Pick<Ctx, "settings">, name: string, values: readonly string[]) {
    this.ctx = ctx;
    this.known = new Map([[`TXT ${name}`, values]]);
  }

  readonly values = async (name: string, type: "TXT" | "A" | "AAAA" | "MX"): Promise<readonly string[] | null> => {
    const key = `${type} ${name}`;
    const known = this.known.get(key);
    if (known !== undefined) return known;
    this.isExhausted ||= this.known.size > MAX_QUERIES;
    if (this.isExhausted) return null;
    const response = await resolve(this.ctx, name, type);
    const values = response.status === "ok" ? response.values : null;
    this.known.set(key, values);
    return values;
  };
}
