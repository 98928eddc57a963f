import type { Settings } from "../../platform/settings/settings.ts";
import { type Delegation, dmarcTarget, sharedTarget } from "../zones/index.ts";
import type { DomainRow } from "./queries.ts";
import type { ExpectedRecord } from "./records.ts";
import { RETURN_PATH_LABEL } from "./rules.ts";

/** The columns that say where the records of a domain are. */
export type Placed = "name" | "zone" | "zoneToken" | "isSandbox";

/** Returns the names that a domain has in a zone; null: none. Pure. */
export function delegationOf({ name, zone, zoneToken, isSandbox }: Pick<DomainRow, Placed>): Delegation | null {
  return zone === null || zoneToken === null ? null : { zone, token: zoneToken, ...(isSandbox ? { own: name } : {}) };
}

/** Returns the records of a delegated domain beside its keys. None is required. Pure. */
export function delegatedAdvice(
  settings: Pick<Settings, "mxHost" | "delegatedZones">,
  domain: Pick<DomainRow, Placed | "dmarcPolicy">,
): ExpectedRecord[] {
  const delegation = delegationOf(domain);
  if (!delegation) return [];
  const { name } = domain;
  const first = settings.delegatedZones[0]?.name ?? delegation.zone;
  const alias = (
    purpose: ExpectedRecord["purpose"],
    label: string,
    value: string,
    key: string = purpose,
  ): ExpectedRecord => ({
    key,
    purpose,
    type: "CNAME",
    name: `${label}.${name}`,
    value,
    priority: null,
    required: false,
  });
  return [
    alias("return_path", RETURN_PATH_LABEL, sharedTarget("return", first)),
    { ...alias("dmarc", "_dmarc", dmarcTarget(delegation)), leadsTo: null, policy: domain.dmarcPolicy },
    { key: "mx", purpose: "mx", type: "MX", name, value: settings.mxHost, priority: 10, required: false },
  ];
}
