import { isAtOrBelow } from "../../lib/is-at-or-below.ts";
import type { ZoneRecordType } from "../../platform/dns-zones/zones.ts";
import type { Settings } from "../../platform/settings/settings.ts";
import { sharedTarget } from "./targets.ts";

/** A record that all delegated domains share. */
export interface SharedRecord {
  zone: string;
  type: ZoneRecordType;
  name: string;
  value: string;
  priority?: number;
  /** True when Cloudflare answers HTTP requests for the name itself. */
  isProxied?: boolean;
}

/** Returns the address for TLS reports on all delegated domains: each report names its domain. Pure. */
export const sharedReportAddress = (bounceDomain: string): string => `tls-reports@${bounceDomain}`;

/** Returns the record that asks for TLS reports to an address (RFC 8460 3). Pure. */
export const tlsReportsValue = (address: string): string => `v=TLSRPTv1; rua=mailto:${address}`;

/** Returns the records that all delegated domains share, in the first zone, beside that of policy-id.ts; none without zones. Pure. */
export function sharedRecords(
  settings: Pick<Settings, "delegatedZones" | "mxHost" | "spfDomain" | "bounceDomain" | "hostnames">,
): SharedRecord[] {
  const [first] = settings.delegatedZones;
  if (!first) return [];
  const zone = first.name;
  const returnPath = sharedTarget("return", zone);
  const reportZone = settings.delegatedZones.find(({ name }) => isAtOrBelow(settings.bounceDomain, name));
  const ofReports = `*._report._dmarc.${settings.bounceDomain}`;
  const tlsReports = tlsReportsValue(sharedReportAddress(settings.bounceDomain));
  return [
    { zone, type: "MX", name: returnPath, value: settings.mxHost, priority: 10 },
    { zone, type: "TXT", name: returnPath, value: `v=spf1 include:${settings.spfDomain} -all` },
    ...(settings.hostnames === null
      ? []
      : [{ zone, type: "TXT" as const, name: sharedTarget("_smtp._tls", zone), value: tlsReports }]),
    // Without it receivers send no reports on other domains to the report address (RFC 9990 4).
    ...(reportZone ? [{ zone: reportZone.name, type: "TXT" as const, name: ofReports, value: "v=DMARC1" }] : []),
  ];
}
