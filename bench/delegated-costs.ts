/** Computes what delegated domains and hosts of customers cost an operator, from the constants of the code. */

import { RECORDS_PER_DOMAIN, RESERVED_RECORDS } from "../src/domains/zones/rules.ts";
import { DEFAULT_ZONE_RECORDS, MAX_ZONES } from "../src/platform/settings/delegated-zones.ts";
import { ZONE_PRICES } from "./prices.ts";
import type { Row } from "./table.ts";

/** Numbers of delegated domains in the table. */
const DOMAINS = [50, 100, 1_000, 10_000, 25_000];

/** Returns how many delegated domains a zone with this number of records has. Pure. */
export const domainsOfZone = (records: number): number => Math.floor((records - RESERVED_RECORDS) / RECORDS_PER_DOMAIN);

export interface DelegatedCost {
  freeZones: number;
  paidZones: number;
  /** Dollars a month: of the paid zones, and of as many custom hostnames as each domain has hosts. */
  zoneDollars: number;
  hostDollars: { links: number; linksAndMtaSts: number };
}

/** Returns the zones that delegated domains need, and what they and their hosts cost. Pure. */
export function delegatedCost(domains: number): DelegatedCost {
  const { paidRecords, paidMonth, includedHostnames, hostnameMonth } = ZONE_PRICES;
  const paidZones = Math.ceil(domains / domainsOfZone(paidRecords));
  const hosts = (each: number) => Math.max(0, domains * each - includedHostnames) * hostnameMonth;
  return {
    freeZones: Math.ceil(domains / domainsOfZone(DEFAULT_ZONE_RECORDS)),
    paidZones,
    zoneDollars: paidZones * paidMonth,
    hostDollars: { links: hosts(1), linksAndMtaSts: hosts(2) },
  };
}

/** Returns a row for each number of domains. */
export const delegatedRows = (): Row[] => DOMAINS.map(toRow);

function toRow(domains: number): Row {
  const { freeZones, paidZones, zoneDollars, hostDollars } = delegatedCost(domains);
  const zones = (count: number, plan: string) => (count > MAX_ZONES ? null : `${count} ${plan}`);
  const dollars = (value: number) => `$${value.toLocaleString("en")}`;
  const choices = [zones(freeZones, "free"), zones(paidZones, `Pro (${dollars(zoneDollars)})`)].filter(
    (one) => one !== null,
  );
  return {
    what: `${domains.toLocaleString("en")} delegated domains: zones, and custom hostnames for links (and MTA-STS) a month`,
    value: `${choices.join(" or ")}; ${dollars(hostDollars.links)} (${dollars(hostDollars.linksAndMtaSts)})`,
    budget: "",
    isMet: true,
  };
}
