import { dkimRecord } from "../../mail/dkim/index.ts";
import type { RecordType } from "../../platform/dns/index.ts";
import type { Settings } from "../../platform/settings/settings.ts";
import { hostLabels, mtaStsId } from "../hosts/index.ts";
import type { DkimKeyRow, DomainRow } from "./queries.ts";
import { reportAddress } from "./report-address.ts";
import { dkimState, OWNERSHIP_LABEL, RETURN_PATH_LABEL } from "./rules.ts";

/**
 * A DNS record that a domain needs (docs/contract/domains.md#records). Names have no final dot; a TXT value is one string of
 * any length.
 */
export interface ExpectedRecord {
  /** Key of its status in the column `records`. */
  key: string;
  purpose:
    | "ownership"
    | "dkim"
    | "spf"
    | "return_path"
    | "dmarc"
    | "mx"
    | "link_host"
    | "mta_sts"
    | "mta_sts_id"
    | "tls_reports";
  type: RecordType;
  name: string;
  value: string;
  priority: number | null;
  /** True when verification requires the record. The other records are advice. */
  required: boolean;
}

/**
 * Returns the records to publish for a domain. Required are ownership and the active DKIM keys, or the pending ones
 * when none is active. The record of a retired key is listed until the key is deleted. Pure.
 */
export function expectedRecords(
  settings: Pick<Settings, "mxHost" | "spfDomain" | "bounceDomain" | "hostnames">,
  domain: Pick<DomainRow, "id" | "name" | "ownershipToken" | "records">,
  keys: readonly DkimKeyRow[],
): ExpectedRecord[] {
  const { name } = domain;
  const advice = { priority: null, required: false };
  return [
    {
      key: "ownership",
      purpose: "ownership",
      type: "TXT",
      name: `${OWNERSHIP_LABEL}.${name}`,
      value: `svc-domain-verification=${domain.ownershipToken}`,
      priority: null,
      required: true,
    },
    ...keys.map((key): ExpectedRecord => dkimRecordOf(name, key, keys)),
    { key: "spf", purpose: "spf", type: "TXT", name, value: `v=spf1 include:${settings.spfDomain} ~all`, ...advice },
    {
      key: "return_path",
      purpose: "return_path",
      type: "CNAME",
      name: `${RETURN_PATH_LABEL}.${name}`,
      value: settings.bounceDomain,
      ...advice,
    },
    {
      key: "dmarc",
      purpose: "dmarc",
      type: "TXT",
      name: `_dmarc.${name}`,
      value: `v=DMARC1; p=none; rua=mailto:${reportAddress(domain.id, settings.bounceDomain)}`,
      ...advice,
    },
    { key: "mx", purpose: "mx", type: "MX", name, value: settings.mxHost, priority: 10, required: false },
    ...hostRecords(settings, domain),
  ];
}

/** Returns the records of the hosts of a domain, whose keys are their purposes. None when the deployment offers no hosts. */
function hostRecords(
  settings: Pick<Settings, "hostnames" | "mxHost" | "bounceDomain">,
  { id, name, records }: Pick<DomainRow, "id" | "name" | "records">,
): ExpectedRecord[] {
  const { hostnames } = settings;
  if (hostnames === null) return [];
  const record = { type: "CNAME" as const, value: hostnames.target, priority: null, required: false };
  const link: ExpectedRecord = { key: "link", purpose: "link_host", name: `${hostLabels.link}.${name}`, ...record };
  // A policy names the hosts that receive mail, so it is for domains whose mail comes here.
  if (records.mx !== "verified") return [link];
  const text = { type: "TXT" as const, priority: null, required: false };
  const rua = `mailto:${reportAddress(id, settings.bounceDomain)}`;
  return [
    link,
    { key: "mta_sts", purpose: "mta_sts", name: `${hostLabels.mta_sts}.${name}`, ...record },
    {
      key: "mta_sts_id",
      purpose: "mta_sts_id",
      name: `_mta-sts.${name}`,
      value: `v=STSv1; id=${mtaStsId(settings)}`,
      ...text,
    },
    {
      key: "tls_reports",
      purpose: "tls_reports",
      name: `_smtp._tls.${name}`,
      value: `v=TLSRPTv1; rua=${rua}`,
      ...text,
    },
  ];
}

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

/**
 * Returns the record of one DKIM key. A pending key beside active keys is not required: the domain stays verified by
 * the active keys.
 */
function dkimRecordOf(name: string, key: DkimKeyRow, keys: readonly DkimKeyRow[]): ExpectedRecord {
  const hasActiveKey = keys.some((other) => dkimState(other) === "active");
  return {
    key: `dkim:${key.selector}`,
    purpose: "dkim",
    ...dkimRecordFields(name, key),
    priority: null,
    required: dkimState(key) === (hasActiveKey ? "active" : "pending"),
  };
}
