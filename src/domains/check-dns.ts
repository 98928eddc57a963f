import type { Ctx } from "../context.ts";
import type { RecordStatus } from "../db/schema/domains.ts";
import { resolve } from "../dns/index.ts";
import { evaluateRecord } from "./evaluate-record.ts";
import type { DomainWithKeys } from "./queries.ts";
import { expectedRecords } from "./records.ts";
import { dkimState } from "./rules.ts";

/** What one look at DNS says about a domain. */
export interface DnsCheck {
  /** Every required record is there, or one is certainly not, or DNS did not say. */
  verdict: "holds" | "lacks" | "unknown";
  /** Statuses of all records; one without an answer keeps what it had. */
  statuses: Record<string, RecordStatus>;
  /** Keys that waited for their records and may sign now: all of them, or none. */
  activate: string[];
  /** Keys whose place they take. */
  retire: string[];
}

/**
 * Looks all records of a domain up and says what follows. A domain whose waiting keys are all in DNS goes by those,
 * whatever became of the old ones. Changes nothing.
 */
export async function checkDns(ctx: Ctx, { domain, keys }: DomainWithKeys): Promise<DnsCheck> {
  const records = expectedRecords(ctx.settings, domain, keys);
  const seen = await Promise.all(
    records.map(async (record) => ({ record, answer: await resolve(ctx, record.name, record.type) })),
  );
  const found = new Map(seen.map((one) => [one.record.key, evaluateRecord(one)]));
  const statuses = Object.fromEntries(
    records.map(({ key }) => [key, found.get(key) ?? domain.records[key] ?? ("pending" as const)]),
  );
  const waiting = keys.filter((key) => dkimState(key) === "pending");
  const isReady = waiting.length > 0 && waiting.every(({ selector }) => found.get(`dkim:${selector}`) === "verified");
  const required = records.filter(({ purpose, required }) => required && !(isReady && purpose === "dkim"));
  const results = required.map(({ key }) => found.get(key));
  return {
    verdict: results.includes(null) ? "unknown" : results.every((status) => status === "verified") ? "holds" : "lacks",
    statuses,
    activate: isReady ? waiting.map(({ id }) => id) : [],
    retire: isReady ? keys.filter((key) => dkimState(key) === "active").map(({ id }) => id) : [],
  };
}
