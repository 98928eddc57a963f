import type { Ctx } from "../../platform/context.ts";

/** A receiver, which is a mail system with many domains, that takes no mail for a time, as an egress told. */
export interface ReceiverWait {
  receiver: string;
  /** Its name for people. */
  label: string;
  /** The reply that caused the wait. */
  reason: string;
  /** End of the wait, in ms since 1970. */
  until: number;
}

/** A domain of recipients whose receiver waits, as FIND_WAITS finds it. */
export interface ReceiverWaitRow extends ReceiverWait {
  domain: string;
}

/** Finds the domains of a JSON array whose receivers wait at a time. Which receiver a domain has is known for a day. */
export const FIND_WAITS = `
  SELECT d.domain, w.receiver, w.label, w.reason, w.until
    FROM json_each(?1) j CROSS JOIN receiver_domains d ON d.domain = j.value CROSS JOIN receiver_waits w ON w.receiver = d.receiver
   WHERE w.until > ?2 AND d.seen_at > ?2 - 86400000`;

/** Returns the receivers of these addresses that take no mail now. */
export async function findWaits(
  ctx: Pick<Ctx, "db" | "now">,
  addresses: readonly string[],
): Promise<ReceiverWaitRow[]> {
  const domains = [...new Set(addresses.map(domainOf))];
  const { results } = await ctx.db.prepare(FIND_WAITS).bind(JSON.stringify(domains), ctx.now()).all<ReceiverWaitRow>();
  return results;
}

/** Returns the receivers of domains, as far as they are known. One D1 call, a row read for each domain. */
export async function findReceiversOf(
  ctx: Pick<Ctx, "db">,
  domains: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (domains.length === 0) return new Map();
  const { results } = await ctx.db
    .prepare("SELECT d.domain, d.receiver FROM json_each(?1) j CROSS JOIN receiver_domains d ON d.domain = j.value")
    .bind(JSON.stringify(domains))
    .all<{ domain: string; receiver: string }>();
  return new Map(results.map(({ domain, receiver }) => [domain, receiver]));
}

/** Returns the domain of an address in lower case. */
export const domainOf = (address: string) => address.slice(address.lastIndexOf("@") + 1).toLowerCase();
