/** Returns the groups of an IPv6 address, with those that `::` leaves out as "0". */
function ipv6Groups(ip: string): string[] {
  const [head = "", tail] = ip.split("::");
  const first = head.split(":").filter((group) => group !== "");
  const last = (tail ?? "").split(":").filter((group) => group !== "");
  const missing = tail === undefined ? 0 : Math.max(0, 8 - first.length - last.length);
  return [...first, ...Array<string>(missing).fill("0"), ...last];
}

/** Returns an IPv4 address, or the /64 of an IPv6 address, within which one client has all addresses. */
export function clientNetwork(ip: string): string {
  return ip.includes(":") ? ipv6Groups(ip).slice(0, 4).join(":") : ip;
}

/**
 * Returns the network of an IP address: /24 of IPv4, /48 of IPv6 (docs/contract/limits.md#rate-limits), as a text that is equal
 * for equal networks. IPv4 addresses in IPv6 form are IPv4. Other texts are returned unchanged.
 */
export function ipNetwork(ip: string): string {
  const mapped = /^(?:::ffff:)?(\d{1,3}\.\d{1,3}\.\d{1,3})\.\d{1,3}$/i.exec(ip);
  if (mapped?.[1]) return `${mapped[1]}.0/24`;
  if (!/^[0-9a-f:.]+$/i.test(ip) || !ip.includes(":")) return ip;
  const groups = ipv6Groups(ip.toLowerCase());
  const prefix = [0, 1, 2].map((at) => (groups[at] ?? "0").replace(/^0+(?=.)/, ""));
  return `${prefix.join(":")}::/48`;
}
