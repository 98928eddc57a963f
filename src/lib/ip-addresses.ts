import ipaddr, { type IPv4, type IPv6 } from "ipaddr.js";

/** Returns whether an IP address is one of IPv4. */
export const isIPv4 = (ip: IPv4 | IPv6): ip is IPv4 => ip.kind() === "ipv4";

/** Returns an IP address: IPv4 in four decimal numbers, IPv6 without brackets and zone. Null for any other text. */
export function parseIp(text: string): IPv4 | IPv6 | null {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return ipaddr.IPv4.parse(text);
  return ipaddr.IPv6.isValid(text) && !text.includes("%") ? ipaddr.IPv6.parse(text) : null;
}

/** Returns an IPv4 address, or the /64 of an IPv6 address, within which one client has all addresses. */
export function clientNetwork(text: string): string {
  const ip = parseIp(text);
  return ip === null || isIPv4(ip) ? text : groupsOf(ip, 4);
}

/**
 * Returns the network of an IP address: /24 of IPv4, /48 of IPv6 (docs/contract/limits.md#rate-limits), as a text that is equal
 * for equal networks. IPv4 addresses in IPv6 form are IPv4. Other texts are returned unchanged.
 */
export function ipNetwork(text: string): string {
  const ip = parseIp(text);
  if (ip === null) return text;
  if (!isIPv4(ip) && !ip.isIPv4MappedAddress()) return `${groupsOf(ip, 3)}::/48`;
  const { octets } = isIPv4(ip) ? ip : ip.toIPv4Address();
  return `${octets.slice(0, 3).join(".")}.0/24`;
}

const groupsOf = (ip: IPv6, count: number) =>
  ip.parts
    .slice(0, count)
    .map((group) => group.toString(16))
    .join(":");

/** Returns the name that has the PTR record of an IP address (RFC 1035 3.5, RFC 3596 2.5), or null for any other text. */
export function reverseName(text: string): string | null {
  const ip = parseIp(text);
  if (ip === null) return null;
  if (isIPv4(ip)) return `${ip.octets.toReversed().join(".")}.in-addr.arpa`;
  const digits = ip.parts.map((group) => group.toString(16).padStart(4, "0")).join("");
  return `${[...digits].reverse().join(".")}.ip6.arpa`;
}
