/** Decides which IP addresses are on the public internet (IANA special-purpose address registries). Pure. */

/** IPv4 ranges that are not public, and public addresses at which clouds serve metadata to their own machines. */
const NOT_PUBLIC_V4 = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "168.63.129.16/32",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.31.196.0/24",
  "192.52.193.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "192.175.48.0/24",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
].map((range) => {
  const [base = "", bits = ""] = range.split("/");
  return { base: parseV4(base) ?? 0n, shift: 32n - BigInt(bits) };
});

/** Ranges within 2000::/3, outside of which no IPv6 address is public, that are not public either. */
const NOT_PUBLIC_V6 = ["2001::/23", "2001:db8::/32", "2620:4f:8000::/48", "3fff::/20"].map((range) => {
  const [base = "", bits = ""] = range.split("/");
  return { base: parseV6(base) ?? 0n, shift: 128n - BigInt(bits) };
});

/** Prefixes of IPv6 addresses that stand for an IPv4 address, which is at `shift` bits from the end. */
const EMBEDDING = [
  // Mapped and translated (RFC 4291, RFC 2765), and the well-known prefix of NAT64 (RFC 6052).
  { base: "::ffff:0:0", bits: 96n, shift: 0n },
  { base: "::ffff:0:0:0", bits: 96n, shift: 0n },
  { base: "64:ff9b::", bits: 96n, shift: 0n },
  // 6to4 (RFC 3056).
  { base: "2002::", bits: 16n, shift: 80n },
].map(({ base, bits, shift }) => ({ base: parseV6(base) ?? 0n, bits, shift }));

/** Returns whether an IP address, in any form that a URL or DNS has it in, is public. Other texts are not. */
export function isPublicAddress(text: string): boolean {
  const v4 = parseV4(text);
  if (v4 !== null) return isPublicV4(v4);
  const v6 = parseV6(text);
  return v6 !== null && isPublicV6(v6);
}

/** Returns whether an IP address is the machine itself: 127.0.0.0/8 or ::1. */
export function isLoopbackAddress(text: string): boolean {
  const v4 = parseV4(text);
  return v4 === null ? parseV6(text) === 1n : v4 >> 24n === 127n;
}

/** Returns whether a text is an IP address. */
export function isAddress(text: string): boolean {
  return parseV4(text) !== null || parseV6(text) !== null;
}

const isPublicV4 = (ip: bigint) => !NOT_PUBLIC_V4.some(({ base, shift }) => ip >> shift === base >> shift);

function isPublicV6(ip: bigint): boolean {
  const embedding = EMBEDDING.find(({ base, bits }) => ip >> (128n - bits) === base >> (128n - bits));
  if (embedding) return isPublicV4((ip >> embedding.shift) & 0xffff_ffffn);
  const isGlobalUnicast = ip >> 125n === 1n;
  return isGlobalUnicast && !NOT_PUBLIC_V6.some(({ base, shift }) => ip >> shift === base >> shift);
}

/** Parses four decimal numbers with dots; null for any other text. */
function parseV4(text: string): bigint | null {
  const parts = text.split(".");
  if (parts.length !== 4 || !parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255)) return null;
  return parts.reduce((ip, part) => (ip << 8n) | BigInt(part), 0n);
}

/** Parses an IPv6 address (RFC 4291 2.2), without brackets and zone; null for any other text. */
function parseV6(text: string): bigint | null {
  const [, head = "", dotted] = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(text) ?? [];
  if (dotted !== undefined) {
    const v4 = parseV4(dotted);
    return v4 === null ? null : parseV6(`${head}${(v4 >> 16n).toString(16)}:${(v4 & 0xffffn).toString(16)}`);
  }
  const halves = text.split("::");
  if (!text.includes(":") || halves.length > 2) return null;
  const [first = [], last = []] = halves.map((half) => (half === "" ? [] : half.split(":")));
  const missing = 8 - first.length - last.length;
  if (halves.length === 2 ? missing < 1 : missing !== 0) return null;
  const groups = [...first, ...Array<string>(halves.length === 2 ? missing : 0).fill("0"), ...last];
  if (!groups.every((group) => /^[0-9a-f]{1,4}$/i.test(group))) return null;
  return groups.reduce((ip, group) => (ip << 16n) | BigInt(`0x${group}`), 0n);
}
