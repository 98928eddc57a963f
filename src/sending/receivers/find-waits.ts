import type { Ctx } from "../../platform/context.ts";
import { egressNameOf } from "./egress-name.ts";

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
  /** Name of the egress that told it (src/sending/receivers/egress-name.ts). */
  egress: string;
}

/** Finds the domains of a JSON array whose receivers wait at a time. Which receiver a domain has is known for a day. */
export const FIND_WAITS = `
  SELECT d.domain, w.receiver, w.egress, w.label, w.reason, w.until
    FROM json_each(?1) j CROSS JOIN receiver_domains d ON d.domain = j.value CROSS JOIN egress_waits w ON w.receiver = d.receiver
   WHERE w.until > ?2 AND d.seen_at > ?2 - 86400000`;

// The workspace of an email is there while a caller reads it.
const FIND_WAITS_OF_EMAIL = `
  SELECT f.*, coalesce(d.egress, w.egress) AS assigned
    FROM workspaces w LEFT JOIN domains d ON d.id = ?4 AND d.workspace = w.number CROSS JOIN (${FIND_WAITS}) f WHERE w.number = ?3`;

/** Returns the receivers of these addresses that take no mail now from the egress of an email. One D1 call. */
export async function findWaits(
  ctx: Pick<Ctx, "db" | "now" | "settings">,
  addresses: readonly string[],
  { workspace, domainId, source }: { workspace: number; domainId: string; source: string },
): Promise<ReceiverWait[]> {
  const domains = [...new Set(addresses.map(domainOf))];
  const results = await ctx.db.listRows<ReceiverWaitRow & { assigned: string | null }>(
    FIND_WAITS_OF_EMAIL,
    JSON.stringify(domains),
    ctx.now(),
    workspace,
    domainId,
  );
  const own = results.filter(({ egress, assigned }) => egress === egressNameOf(ctx.settings, { assigned, source }));
  return [...new Map(own.map((wait) => [wait.receiver, wait])).values()];
}

/** Returns the receivers of domains, as far as they are known. One D1 call, a row read for each domain. */
export async function findReceiversOf(
  ctx: Pick<Ctx, "db">,
  domains: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (domains.length === 0) return new Map();
  const sql = "SELECT d.domain, d.receiver FROM json_each(?1) j CROSS JOIN receiver_domains d ON d.domain = j.value";
  const results = await ctx.db.listRows<{ domain: string; receiver: string }>(sql, JSON.stringify(domains));
  return new Map(results.map(({ domain, receiver }) => [domain, receiver]));
}

/** Returns the domain of an address in lower case. */
export const domainOf = (address: string) => address.slice(address.lastIndexOf("@") + 1).toLowerCase();
