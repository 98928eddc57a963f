import { findPolicy } from "../../mail/dmarc/tree-walk.ts";
import { covers } from "../../mail/spf/parse.ts";
import { isSpfRecord, type SpfEvaluation, walkSpf } from "../../mail/spf/walk.ts";
import type { Ctx } from "../../platform/context.ts";
import { type DnsResult, resolve } from "../../platform/dns/resolve.ts";
import type { RecordResult } from "./evaluate-record.ts";
import type { ExpectedRecord } from "./records.ts";

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
export async function evaluateInherited(
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
