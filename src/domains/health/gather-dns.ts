import { isAtOrBelow } from "../../lib/is-at-or-below.ts";
import { findOrganizationalDomain, findPolicy } from "../../mail/dmarc/tree-walk.ts";
import { walkSpf } from "../../mail/spf/walk.ts";
import type { Ctx } from "../../platform/context.ts";
import type { DnsResult } from "../../platform/dns/resolve.ts";
import type { DnsEvidence, Evidence } from "./evidence.ts";
import { fetchPolicy, isPublicHost } from "./fetch-policy.ts";
import type { Lookups } from "./lookups.ts";
import type { HealthDomain } from "./subject.ts";

/** Hosts of MX records, domains of `rua` and blocklists that are looked up. */
const [MAX_MX, MAX_RUA, MAX_BLOCKLISTS] = [4, 4, 5];

/** Returns the DMARC policy that applies to a domain, at most eight look-ups. */
export const gatherPolicy = ({ values }: Lookups, name: string): Promise<Evidence["policy"]> =>
  findPolicy((at) => values(at, "TXT"), name);

/** Asks DNS for all that the checks of a domain need, within the bound of the look-ups. Required records come first. */
export async function gatherDns(
  ctx: Pick<Ctx, "settings">,
  lookups: Lookups,
  { subject, policy }: { subject: HealthDomain; policy: Evidence["policy"] },
): Promise<DnsEvidence> {
  const { name, isDelegated } = subject;
  const [ownership, dkim] = await Promise.all([gatherOwnership(lookups, subject), gatherDkim(lookups, subject)]);
  const isSilent = await isSilentDomain(ctx, lookups, [ownership, ...dkim]);
  const [returnPath, dmarc, mx, mtaSts, tlsReports] = await Promise.all([
    gatherReturnPath(lookups, subject),
    gatherDmarc(ctx, lookups, { name, policy }),
    gatherMx(ctx, lookups, name),
    gatherMtaSts(lookups, subject),
    lookups.resolve(`_smtp._tls.${name}`, "TXT"),
  ]);
  const zones = ctx.settings.blocklistZones.slice(0, MAX_BLOCKLISTS);
  const blocklists = await Promise.all(
    zones.map(async (zone) => ({ zone, response: await lookups.resolve(`${name}.${zone}`, "A") })),
  );
  // An SPF record decides how many look-ups it causes, so it comes last.
  const spf = await gatherSpf(ctx, lookups, name);
  return { isDelegated, isSilent, ownership, dkim, spf, returnPath, dmarc, mx, mtaSts, tlsReports, blocklists };
}

/** Returns whether DNS responds to none of the queries for a domain, while it does to one for the service's own name. */
async function isSilentDomain(
  ctx: Pick<Ctx, "settings">,
  lookups: Lookups,
  asked: readonly { name: string; response: DnsResult }[],
): Promise<boolean> {
  const own = asked.filter(({ name }) => name !== "");
  if (own.length === 0 || own.some(({ response }) => response.status === "ok")) return false;
  return (await lookups.resolve(ctx.settings.spfDomain, "TXT")).status === "ok";
}

/** Returns the response for a record's name with the domain after it again, when the record is missing. */
async function doubledOf(
  lookups: Lookups,
  response: DnsResult,
  { at, type, name }: { at: string; type: "TXT" | "CNAME"; name: string },
): Promise<DnsResult | null> {
  const isMissing = response.status === "ok" && response.values.length === 0;
  return isMissing ? lookups.resolve(`${at}.${name}`, type) : null;
}

/** Asks DNS for a record of a domain. */
async function gatherRecord<Expected extends { name: string }>(
  lookups: Lookups,
  expected: Expected,
  { type, name }: { type: "TXT" | "CNAME"; name: string },
) {
  const response = await lookups.resolve(expected.name, type);
  return { ...expected, response, doubled: await doubledOf(lookups, response, { at: expected.name, type, name }) };
}

async function gatherOwnership(lookups: Lookups, { name, ownership }: HealthDomain): Promise<DnsEvidence["ownership"]> {
  if (ownership.name === "") return { ...ownership, response: { status: "ok", values: [] }, doubled: null };
  return gatherRecord(lookups, ownership, { type: "TXT", name });
}

const gatherDkim = (lookups: Lookups, { name, keys }: HealthDomain): Promise<DnsEvidence["dkim"]> =>
  Promise.all(keys.map((key) => gatherRecord(lookups, key, { type: "TXT", name })));

async function gatherReturnPath(lookups: Lookups, { name, returnPath }: HealthDomain) {
  const found = await gatherRecord(lookups, returnPath, { type: "CNAME", name });
  const isMissing = found.response.status === "ok" && found.response.values.length === 0;
  const hasDoubled = found.doubled?.status === "ok" && found.doubled.values.length > 0;
  return { ...found, others: isMissing && !hasDoubled ? await othersOf(lookups, found.name) : null };
}

/** Returns the first response with records that exclude a CNAME at their name (RFC 1034 3.6.2), or that of the last query. */
async function othersOf(lookups: Lookups, at: string): Promise<DnsResult> {
  const responses = await Promise.all((["A", "MX", "TXT"] as const).map((type) => lookups.resolve(at, type)));
  const isFilled = (response: DnsResult) => response.status === "ok" && response.values.length > 0;
  const found = responses.find(isFilled) ?? responses.find(({ status }) => status === "temperror") ?? responses[0];
  return found ?? { status: "ok", values: [] };
}

async function gatherDmarc(
  ctx: Pick<Ctx, "settings">,
  lookups: Lookups,
  { name, policy }: { name: string; policy: Evidence["policy"] },
): Promise<DnsEvidence["dmarc"]> {
  const at = `_dmarc.${name}`;
  const own = await lookups.resolve(at, "TXT");
  const doubled = policy === "none" ? await doubledOf(lookups, own, { at, type: "TXT", name }) : null;
  if (policy === "none" || policy === null) return { own, doubled, authorizations: [] };
  const lookUp = (of: string) => lookups.values(of, "TXT");
  const domains = new Set(policy.record.rua.flatMap(({ domain }) => domain ?? []));
  // Whoever runs the service authorises all reports to its own address, with one record for all domains.
  domains.delete(ctx.settings.bounceDomain);
  const authorizations = await Promise.all(
    [...domains].slice(0, MAX_RUA).map(async (domain) => {
      const of = `${policy.name}._report._dmarc.${domain}`;
      // Names above and below each other belong to one organisation, unless a public suffix lies between, where no domain has a record.
      if (isAtOrBelow(domain, policy.name) || isAtOrBelow(policy.name, domain)) return [];
      const [own, other] = await Promise.all([
        findOrganizationalDomain(lookUp, policy.name),
        findOrganizationalDomain(lookUp, domain),
      ]);
      if (own === other && own !== null) return [];
      return [{ domain, name: of, response: await lookups.resolve(of, "TXT") }];
    }),
  );
  return { own, doubled, authorizations: authorizations.flat() };
}

async function gatherMx(ctx: Pick<Ctx, "settings">, lookups: Lookups, name: string): Promise<DnsEvidence["mx"]> {
  const response = await lookups.resolve(name, "MX");
  const hosts = response.status === "ok" ? response.values.map((value) => value.slice(value.indexOf(" ") + 1)) : [];
  const named = [...new Set(hosts)].filter((host) => /[a-z]/.test(host)).slice(0, MAX_MX);
  const aliases = await Promise.all(
    named.map(async (host) => ({ host, response: await lookups.resolve(host, "CNAME") })),
  );
  const plain = aliases.filter(({ host, response: of }) => host !== ctx.settings.mxHost && isEmpty(of));
  const addresses = await Promise.all(
    plain.map(async ({ host }) => {
      const ipv4 = await lookups.resolve(host, "A");
      return { host, found: isEmpty(ipv4) ? await lookups.resolve(host, "AAAA") : ipv4 };
    }),
  );
  const isKnown = addresses.every(({ found }) => found.status === "ok");
  const missing = isKnown ? addresses.filter(({ found }) => isEmpty(found)).map(({ host }) => host) : null;
  return { response, aliases, missing };
}

const isEmpty = (response: DnsResult) => response.status === "ok" && response.values.length === 0;

async function gatherMtaSts(lookups: Lookups, { name, policy }: HealthDomain): Promise<DnsEvidence["mtaSts"]> {
  const host = `mta-sts.${name}`;
  // A request of the Worker for its own zone would go past it, to an origin that is not there; the check of hosts looks at this one.
  if (policy !== null) {
    const record = await lookups.resolve(`_mta-sts.${name}`, "TXT");
    const { text } = policy;
    return { record, host: { status: "ok", values: [host] }, policy: { status: 200, text }, hosted: policy };
  }
  const [record, ipv4, ipv6] = await Promise.all([
    lookups.resolve(`_mta-sts.${name}`, "TXT"),
    lookups.resolve(host, "A"),
    lookups.resolve(host, "AAAA"),
  ]);
  const addresses = ipv4.status === "ok" && ipv4.values.length === 0 ? ipv6 : ipv4;
  return { record, host: addresses, policy: isPublicHost([ipv4, ipv6]) ? await fetchPolicy(host) : null };
}

async function gatherSpf(ctx: Pick<Ctx, "settings">, lookups: Lookups, name: string): Promise<DnsEvidence["spf"]> {
  const { spfDomain } = ctx.settings;
  const [txt, evaluation] = await Promise.all([lookups.resolve(name, "TXT"), walkSpf(lookups.values, name, spfDomain)]);
  const isMissing = evaluation.records.length === 0;
  const alias: DnsResult = isMissing ? await lookups.resolve(name, "CNAME") : { status: "ok", values: [] };
  const doubled = isMissing ? await lookups.resolve(`${name}.${name}`, "TXT") : null;
  const gathered = { txt, evaluation, alias, doubled };
  if (isMissing || evaluation.included.has(spfDomain)) return { ...gathered, serviceNetworks: null };
  // A record may have the addresses of the service in place of its name.
  const service = await walkSpf(lookups.values, spfDomain, spfDomain);
  return { ...gathered, serviceNetworks: service.isIncomplete ? null : service.networks };
}
