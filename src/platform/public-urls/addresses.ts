/** Decides which IP addresses are on the public internet (IANA special-purpose address registries). Pure. */
import ipaddr, { type IPv4, type IPv6 } from "ipaddr.js";
import { isIPv4, parseIp } from "../../lib/ip-addresses.ts";

/** A public address at which a cloud serves metadata to its own machines. */
const METADATA = "168.63.129.16";
/** The addresses of IPv6 that are given out are all in this range. */
const GLOBAL = ipaddr.IPv6.parseCIDR("2000::/3");
/** The well-known prefix of NAT64 (RFC 6052). Networks choose addresses of the other one (RFC 8215) themselves. */
const NAT64 = ipaddr.IPv6.parseCIDR("64:ff9b::/96");

/** Returns whether an IP address, in any form that a URL or DNS has it in, is public. Other texts are not. */
export function isPublicAddress(text: string): boolean {
  const ip = parseIp(text);
  if (ip === null) return false;
  const v4 = isIPv4(ip) ? ip : embeddedIn(ip);
  if (v4) return v4.range() === "unicast" && v4.toString() !== METADATA;
  return ip.match(GLOBAL) && ip.range() === "unicast";
}

/** Returns whether an IP address is the machine itself: 127.0.0.0/8 or ::1. */
export const isLoopbackAddress = (text: string) => parseIp(text)?.range() === "loopback";

/** Returns whether a text is an IP address. */
export const isAddress = (text: string) => parseIp(text) !== null;

/** Returns the IPv4 address within an IPv6 address: mapped, translated (RFC 7915), of NAT64, or of 6to4 (RFC 3056). Null: it has none. */
function embeddedIn(ip: IPv6): IPv4 | null {
  const range = ip.range();
  const bytes = ip.toByteArray();
  if (range === "6to4") return new ipaddr.IPv4(bytes.slice(2, 6));
  const isLast = range === "ipv4Mapped" || range === "rfc6145" || ip.match(NAT64);
  return isLast ? new ipaddr.IPv4(bytes.slice(12)) : null;
}
