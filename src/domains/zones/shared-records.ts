import type { ZoneRecordType } from "../../platform/dns-zones/index.ts";
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

/** Returns the records that all delegated domains share, in the first zone; none without zones. Pure. */
export function sharedRecords(
  settings: Pick<Settings, "delegatedZones" | "mxHost" | "spfDomain" | "bounceDomain">,
): SharedRecord[] {
  const [first] = settings.delegatedZones;
  if (!first) return [];
  const zone = first.name;
  const returnPath = sharedTarget("return", zone);
  const reportZone = settings.delegatedZones.find(({ name }) => isWithin(settings.bounceDomain, name));
  return [
    { zone, type: "MX", name: returnPath, value: settings.mxHost, priority: 10 },
    { zone, type: "TXT", name: returnPath, value: `v=spf1 include:${settings.spfDomain} -all` },
    // Without it receivers send no reports on other domains to the report address (RFC 9990 4).
    ...(reportZone
      ? [
          {
            zone: reportZone.name,
            type: "TXT" as const,
            name: `*._report._dmarc.${settings.bounceDomain}`,
            value: "v=DMARC1",
          },
        ]
      : []),
  ];
}

const isWithin = (name: string, zone: string) => name === zone || name.endsWith(`.${zone}`);
