import type { DmarcPolicy } from "../../platform/db/schema/main/domains.ts";
import type { RecordType } from "../../platform/dns/resolve.ts";

/** The purposes of records, in the order of the API's list. */
export const recordPurposes = [
  ...(["ownership", "dkim", "spf", "return_path", "dmarc", "mx", "link_host"] as const),
  ...(["mta_sts", "mta_sts_id", "tls_reports", "mail_programs"] as const),
] as const;

/** A DNS record of a domain (docs/contract/domains.md#records). Names have no final dot; a TXT value is one string of any length. */
export interface ExpectedRecord {
  /** Key of its status in the column `records`. */
  key: string;
  purpose: (typeof recordPurposes)[number];
  type: RecordType;
  name: string;
  value: string;
  priority: number | null;
  /** True when verification requires the record. The other records are advice. */
  required: boolean;
  /** Of a CNAME that is checked by the TXT record to which it leads: that value, or null for any. */
  leadsTo?: string | null;
  /** Of the CNAME of DMARC: the policy that the service publishes behind it. */
  policy?: DmarcPolicy;
}

type GivenFields = Pick<ExpectedRecord, "purpose" | "type" | "name" | "value"> & Partial<ExpectedRecord>;

/** Returns a record that is advice, and whose key is its purpose, unless the fields say otherwise. */
export function recordOf({ purpose, type, name, value, ...given }: GivenFields): ExpectedRecord {
  const { key = purpose, priority = null, required = false, ...more } = given;
  return { key, purpose, type, name, value, priority, required, ...more };
}
