import type { Ctx } from "../../platform/context.ts";
import type { RecordStatus } from "../../platform/db/schema/main/domains.ts";
import { type DnsResult, resolve } from "../../platform/dns/resolve.ts";
import { evaluateInherited } from "./evaluate-inherited.ts";
import { evaluateRecord } from "./evaluate-record.ts";
import type { DkimKeyRow, DomainRow, DomainWithKeys } from "./queries.ts";
import { expectedRecords } from "./records.ts";
import { dkimState } from "./rules.ts";

/** The result of one DNS check of a domain. */
export interface DnsCheck {
  /**
   * `pass`: every required record is correct. `fail`: one is missing or wrong. `temperror`: DNS did not respond for a
   * required record (the word of RFC 8601 2.7).
   */
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
 * Resolves all records of a domain and returns the result, without writing anything. When every pending DKIM key is published, the
 * records of the active keys are no longer required. At most 13 DNS queries, and 32 for an SPF record or
 * a DMARC policy that is not at its own name.
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
  const statuses = Object.fromEntries(
    evaluated.map(({ record: { key }, result }) => [
      key,
      result === "temperror" ? (domain.records[key] ?? ("pending" as const)) : result,
    ]),
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
