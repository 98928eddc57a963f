import { dkimRecord } from "../../mail/dkim/keys.ts";
import type { Settings } from "../../platform/settings/settings.ts";
import type { HostRow } from "../hosts/index.ts";
import { dkimTarget } from "../zones/index.ts";
import { delegatedAdvice, delegationOf, type Placed } from "./delegated-records.ts";
import { type ExpectedRecord, recordOf } from "./expected-record.ts";
import { hostRecords } from "./host-records.ts";
import { type ProgramSettings, programRecords } from "./program-records.ts";
import type { DkimKeyRow, DomainRow } from "./queries.ts";
import { reportAddress } from "./report-address.ts";
import { dkimState, OWNERSHIP_LABEL, RETURN_PATH_LABEL } from "./rules.ts";

/**
 * Returns the records to publish for a domain. Required are ownership and the active DKIM keys, or the pending ones
 * when none is active. The record of a retired key is listed until the key is deleted, and the MX record unless mail goes elsewhere. `hosts`: rows of the domain. Pure.
 */
export function expectedRecords(
  settings: Pick<Settings, "mxHost" | "spfDomain" | "bounceDomain" | "delegatedZones" | "hostnames" | ProgramSettings>,
  domain: Pick<DomainRow, Placed | "id" | "ownershipToken" | "setup" | "records" | "dmarcPolicy" | "receives">,
  keys: readonly DkimKeyRow[],
  hosts: readonly HostRow[] = [],
): ExpectedRecord[] {
  const dkim = keys.map((key): ExpectedRecord => dkimRecordOf(domain, key, keys));
  if (domain.isSandbox) return dkim;
  // Until the CNAMEs are found, the records by hand keep the domain verified.
  const isMoving = keys.some((key) => key.slot === null && dkimState(key) === "active");
  const records = [
    ...(domain.setup === "manual"
      ? manualRecords(settings, domain, dkim)
      : [...(isMoving ? [ownershipRecord(domain)] : []), ...dkim, ...delegatedAdvice(settings, domain)]),
    ...hostRecords(settings, domain, hosts),
    ...programRecords(settings, domain),
  ];
  return domain.receives === false ? records.filter(({ purpose }) => purpose !== "mx") : records;
}

function manualRecords(
  settings: Pick<Settings, "mxHost" | "spfDomain" | "bounceDomain">,
  domain: Pick<DomainRow, "id" | "name" | "ownershipToken" | "dmarcPolicy">,
  dkim: readonly ExpectedRecord[],
): ExpectedRecord[] {
  const { name } = domain;
  const returnPath = `${RETURN_PATH_LABEL}.${name}`;
  return [
    ownershipRecord(domain),
    ...dkim,
    recordOf({ purpose: "spf", type: "TXT", name, value: `v=spf1 include:${settings.spfDomain} ~all` }),
    recordOf({ purpose: "return_path", type: "CNAME", name: returnPath, value: settings.bounceDomain }),
    recordOf({ purpose: "dmarc", type: "TXT", name: `_dmarc.${name}`, value: dmarcValue(settings, domain) }),
    recordOf({ purpose: "mx", type: "MX", name, value: settings.mxHost, priority: 10 }),
  ];
}

const ownershipRecord = ({ name, ownershipToken }: Pick<DomainRow, "name" | "ownershipToken">): ExpectedRecord =>
  recordOf({
    purpose: "ownership",
    type: "TXT",
    name: `${OWNERSHIP_LABEL}.${name}`,
    value: `svc-domain-verification=${ownershipToken}`,
    required: true,
  });

/** Returns the DMARC record of a domain: reports come to the service, and nothing is refused before its owner says so. Pure. */
export const dmarcValue = (
  { bounceDomain }: Pick<Settings, "bounceDomain">,
  { id, dmarcPolicy }: Pick<DomainRow, "id" | "dmarcPolicy">,
): string => `v=DMARC1; p=${dmarcPolicy}; rua=mailto:${reportAddress(id, bounceDomain)}`;

/** Returns the DNS records of DKIM keys. Pure. */
export function dkimRecords(
  domain: string,
  keys: readonly Pick<DkimKeyRow, "selector" | "algorithm" | "publicKey">[],
): { type: "TXT"; name: string; value: string }[] {
  return keys.map((key) => dkimRecordFields(domain, key));
}

const dkimRecordFields = (
  domain: string,
  { selector, algorithm, publicKey }: Pick<DkimKeyRow, "selector" | "algorithm" | "publicKey">,
) => ({
  type: "TXT" as const,
  name: `${selector}._domainkey.${domain}`,
  value: dkimRecord(algorithm, publicKey),
});

/** Returns the record of one DKIM key. A pending key beside active keys is not required: the domain stays verified by the active keys. */
function dkimRecordOf(domain: Pick<DomainRow, Placed>, key: DkimKeyRow, keys: readonly DkimKeyRow[]): ExpectedRecord {
  const delegation = delegationOf(domain);
  const fields = dkimRecordFields(domain.name, key);
  const hasActiveKey = keys.some((other) => dkimState(other) === "active");
  return {
    key: `dkim:${key.selector}`,
    purpose: "dkim",
    ...(delegation && !domain.isSandbox && (key.slot === 1 || key.slot === 2)
      ? { type: "CNAME", name: fields.name, value: dkimTarget(delegation, key.slot), leadsTo: fields.value }
      : fields),
    priority: null,
    required: dkimState(key) === (hasActiveKey ? "active" : "pending"),
  };
}
