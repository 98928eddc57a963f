/** The setting DELEGATED_ZONES: the zones in which the service publishes records of delegated domains. Pure. */

import { canonicalDomain } from "../../lib/address-domain.ts";
import { isAtOrBelow } from "../../lib/is-at-or-below.ts";

/** Zones that the setting may have, and its bytes: Cloudflare takes 5 KB of a variable (Workers limits). */
export const MAX_ZONES = 24;
const MAX_BYTES = 5_000;
/** Records of a zone on the free plan (Cloudflare DNS, "Number of records"); paid zones have 3,500. */
export const DEFAULT_ZONE_RECORDS = 200;
const MOST_ZONE_RECORDS = 1_000_000;

/** A zone of the deployment at its DNS provider. */
interface DelegatedZone {
  /** Its domain name, in lower case. */
  name: string;
  /** Its id at the DNS API. */
  id: string;
  /** Records that its plan permits. */
  maxRecords: number;
}

const NONE_IS_USED = "; no zone is used, since the first one has the shared records";
const ID = /^[A-Za-z0-9-]{1,64}$/;

/**
 * Parses `<zone>=<zone id>` or `<zone>=<zone id>:<records>` entries that are separated by spaces or lines. Returns the zones in their
 * order and a sentence about each malformed entry, which is left out. The CNAMEs of all customers lead into the first zone, so that
 * none is used while the first entry is malformed: another zone in its place would change what is asked of them.
 */
function parseDelegatedZones(text: string): { zones: readonly DelegatedZone[]; issues: readonly string[] } {
  const zones: DelegatedZone[] = [];
  const issues: string[] = [];
  const entries = text.split(/\s+/).filter((entry) => entry !== "");
  if (text.length > MAX_BYTES) issues.push(`has ${text.length} characters; the limit is ${MAX_BYTES}`);
  if (entries.length > MAX_ZONES) issues.push(`has ${entries.length} zones; the limit is ${MAX_ZONES}`);
  for (const [index, entry] of entries.slice(0, MAX_ZONES).entries()) {
    const zone = parseEntry(entry);
    if (typeof zone === "string") issues.push(`entry ${index + 1} ${zone}${index === 0 ? NONE_IS_USED : ""}`);
    else if (zones.some(({ name }) => name === zone.name))
      issues.push(`entry ${index + 1} repeats the zone ${zone.name}`);
    else zones.push(zone);
  }
  const isFirstUsable = typeof parseEntry(entries[0] ?? "") !== "string";
  return { zones: isFirstUsable ? zones : [], issues: issues.map((issue) => `DELEGATED_ZONES: ${issue}`) };
}

function parseEntry(entry: string): DelegatedZone | string {
  const [zoneName = "", rest = "", ...more] = entry.split("=");
  const [id = "", records = String(DEFAULT_ZONE_RECORDS), ...others] = rest.split(":");
  const name = canonicalDomain(zoneName.replace(/\.$/, ""));
  if (more.length > 0 || others.length > 0 || !ID.test(id)) return "must have the form <zone>=<zone id>:<records>";
  if (name === null || name.length > 100) return "must begin with a domain name of at most 100 characters";
  const maxRecords = Number(records);
  if (!/^\d{1,7}$/.test(records) || maxRecords < 20 || maxRecords > MOST_ZONE_RECORDS)
    return `must have between 20 and ${MOST_ZONE_RECORDS} records`;
  return { name, id, maxRecords };
}

export interface ZoneSettings {
  /** Empty: delegated set-up is not offered. */
  delegatedZones: readonly DelegatedZone[];
  /** Sentences about malformed entries of DELEGATED_ZONES, a missing token, and a SANDBOX_DOMAIN outside of them. */
  zoneIssues: readonly string[];
  /** SANDBOX_DOMAIN and the zone of its records; without one its names are only reserved. Null: workspaces get no test domain. */
  sandbox: { domain: string; zone: DelegatedZone | null } | null;
}

/** Returns the zones of delegated domains, the domain of first tests, and what is wrong with their variables. Pure. */
export function zoneSettings(
  variables: Record<"DELEGATED_ZONES" | "DNS_API_TOKEN" | "SANDBOX_DOMAIN", string>,
): ZoneSettings {
  const { zones, issues } = parseDelegatedZones(variables.DELEGATED_ZONES);
  const hasToken = zones.length === 0 || variables.DNS_API_TOKEN !== "";
  const delegatedZones = hasToken ? zones : [];
  const domain = variables.SANDBOX_DOMAIN.trim().toLowerCase().replace(/\.$/, "");
  // The slug of a workspace and a selector come before it.
  const isValid = domain.length <= 150 && canonicalDomain(domain) === domain;
  const zone = delegatedZones.find(({ name }) => isValid && isAtOrBelow(domain, name)) ?? null;
  return {
    delegatedZones,
    zoneIssues: [
      ...issues,
      ...(hasToken ? [] : ["DNS_API_TOKEN: missing; DELEGATED_ZONES needs it"]),
      ...(domain === "" || zone ? [] : [`SANDBOX_DOMAIN: must be a domain name in a zone of DELEGATED_ZONES`]),
    ],
    sandbox: domain === "" ? null : { domain, zone },
  };
}
