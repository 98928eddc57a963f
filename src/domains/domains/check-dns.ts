import type { Ctx } from "../../platform/context.ts";
import type { RecordStatus } from "../../platform/db/schema/main/domains.ts";
import { resolve } from "../../platform/dns/index.ts";
import { evaluateRecord } from "./evaluate-record.ts";
import type { DomainWithKeys } from "./queries.ts";
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
  /** Ids of the pending DKIM keys to activate: all pending keys, or none. */
  activate: string[];
  /** Ids of the active DKIM keys that they replace. */
  retire: string[];
}

/**
 * Resolves all records of a domain and returns the result, without writing anything. When every pending DKIM key is
 * published, the records of the active keys are no longer required.
 */
export async function checkDns(ctx: Ctx, { domain, keys }: DomainWithKeys): Promise<DnsCheck> {
  const records = expectedRecords(ctx.settings, domain, keys);
  const evaluated = await Promise.all(
    records.map(async (record) => {
      const response = await resolve(ctx, record.name, record.type);
      return [record.key, evaluateRecord(record, response)] as const;
    }),
  );
  const results = new Map(evaluated);
  const statuses = Object.fromEntries(
    records.map(({ key }) => {
      const result = results.get(key) ?? "temperror";
      return [key, result === "temperror" ? (domain.records[key] ?? ("pending" as const)) : result];
    }),
  );
  const pending = keys.filter((key) => dkimState(key) === "pending");
  const isReady = pending.length > 0 && pending.every(({ selector }) => results.get(`dkim:${selector}`) === "verified");
  const required = records.filter(({ purpose, required }) => required && !(isReady && purpose === "dkim"));
  const requiredResults = required.map(({ key }) => results.get(key));
  return {
    verdict: requiredResults.includes("temperror")
      ? "temperror"
      : requiredResults.every((result) => result === "verified")
        ? "pass"
        : "fail",
    statuses,
    activate: isReady ? pending.map(({ id }) => id) : [],
    retire: isReady ? keys.filter((key) => dkimState(key) === "active").map(({ id }) => id) : [],
  };
}
