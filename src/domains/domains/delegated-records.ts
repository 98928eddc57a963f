import type { Settings } from "../../platform/settings/settings.ts";
import { type Delegation, dmarcTarget, sharedTarget } from "../zones/index.ts";
import { type ExpectedRecord, recordOf } from "./expected-record.ts";
import type { DomainRow } from "./queries.ts";
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
  const dmarc = { name: `_dmarc.${name}`, value: dmarcTarget(delegation), leadsTo: null, policy: domain.dmarcPolicy };
  const returnPath = { name: `${RETURN_PATH_LABEL}.${name}`, value: sharedTarget("return", first) };
  return [
    recordOf({ purpose: "return_path", type: "CNAME", ...returnPath }),
    recordOf({ purpose: "dmarc", type: "CNAME", ...dmarc }),
    recordOf({ purpose: "mx", type: "MX", name, value: settings.mxHost, priority: 10 }),
  ];
}
