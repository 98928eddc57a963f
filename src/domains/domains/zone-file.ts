import type { DomainOut } from "./schema.ts";

/** Octets of one string of a TXT record (RFC 1035 3.3). */
const STRING_BYTES = 255;

interface ZoneFileInput {
  name: string;
  records: readonly Pick<DomainOut["records"][number], "type" | "name" | "value" | "priority">[];
}

/**
 * Returns the records of a domain as a master file (RFC 1035 5), as most DNS providers import it. Values are ASCII. Pure.
 */
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
