import { isUuid } from "../../lib/ids.ts";

const LOCAL_PART = /^reports-([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/;

/** Returns the address to which receivers send reports on a domain (RFC 9990, RFC 8460). It is in DNS, so it needs no signature. Pure. */
export const reportAddress = (domainId: string, bounceDomain: string): string =>
  `reports-${domainId.replaceAll("-", "")}@${bounceDomain}`;

/** Returns the id of the domain that an address receives reports on, or null. Pure. */
export function readReportAddress(address: string, bounceDomain: string): string | null {
  const [local, ...domain] = address.toLowerCase().split("@");
  if (domain.join("@") !== bounceDomain.toLowerCase()) return null;
  const id = LOCAL_PART.exec(local ?? "")
    ?.slice(1)
    .join("-");
  return id !== undefined && isUuid(id) ? id : null;
}
