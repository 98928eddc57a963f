import type { DomainOut } from "./schema.ts";

/** Octets of one string of a TXT record (RFC 1035 3.3). */
const STRING_BYTES = 255;

interface ZoneFileInput {
  name: string;
  records: readonly Pick<DomainOut["records"][number], "type" | "name" | "value" | "priority">[];
}

type DomainRecord = DomainOut["records"][number];

/** Returns the records that a domain is to have: that of MX only when its owner says that mail shall be received here. Pure. */
export const recordsToPublish = ({ records, receives }: Pick<DomainOut, "records" | "receives">): DomainRecord[] =>
  records.filter(({ purpose }) => purpose !== "mx" || receives === true);

/** Returns those that an import may add: no record beside a CNAME (RFC 1034 3.6.2), and no second policy of SPF or DMARC. Pure. */
export const recordsToImport = (domain: Pick<DomainOut, "records" | "receives">): DomainRecord[] =>
  recordsToPublish(domain).filter(({ purpose, found }) => {
    const values = found?.filter((text) => !text.startsWith("CNAME ")) ?? [];
    if (purpose === "spf") return !values.some((text) => /^v=spf1/i.test(text));
    return purpose !== "dmarc" || values.length === 0;
  });

/** Returns the records of a domain as a master file (RFC 1035 5), as most DNS providers import it. Values are ASCII. Pure. */
export function toZoneFile({ name, records }: ZoneFileInput): string {
  const lines = records.map((record) => `${record.name}. IN ${record.type} ${dataOf(record)}`);
  return [`; Records of ${name} for sending and receiving mail`, "$TTL 3600", ...lines, ""].join("\n");
}

function dataOf({ type, value, priority }: ZoneFileInput["records"][number]): string {
  if (type === "CNAME") return `${value}.`;
  if (type === "MX") return `${priority ?? 10} ${value}.`;
  if (type === "SRV") return `${priority ?? 0} ${value}${value.endsWith(".") ? "" : "."}`;
  const strings = value.match(new RegExp(`.{1,${STRING_BYTES}}`, "g")) ?? [""];
  return strings.map((text) => `"${text.replace(/["\\]/g, "\\$&")}"`).join(" ");
}
