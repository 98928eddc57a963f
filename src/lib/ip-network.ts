/**
 * Returns the network of an IP address: /24 of IPv4, /48 of IPv6 (decisions 1), as a text that is equal for equal
 * networks. IPv4 addresses in IPv6 form are IPv4. Other texts are returned unchanged.
 */
export function ipNetwork(ip: string): string {
  const mapped = /^(?:::ffff:)?(\d{1,3}\.\d{1,3}\.\d{1,3})\.\d{1,3}$/i.exec(ip);
  if (mapped?.[1]) return `${mapped[1]}.0/24`;
  if (!/^[0-9a-f:.]+$/i.test(ip) || !ip.includes(":")) return ip;
  const [head = "", tail] = ip.toLowerCase().split("::");
  const first = head === "" ? [] : head.split(":");
  const last = !tail ? [] : tail.split(":");
  const gap = tail === undefined ? 0 : Math.max(0, 8 - first.length - last.length);
  const groups = [...first, ...Array<string>(gap).fill("0"), ...last];
  const prefix = [0, 1, 2].map((at) => (groups[at] ?? "0").replace(/^0+(?=.)/, ""));
  return `${prefix.join(":")}::/48`;
}
