import { isIPv4, parseIp } from "../../lib/ip-addresses.ts";
import { isDnsName } from "../../lib/is-dns-name.ts";
import { codePoint } from "../../lib/text-rules.ts";

/** A term of an SPF record (RFC 7208 4.6.1). */
export interface SpfTerm {
  /** As it stands in the record. */
  text: string;
  qualifier: "+" | "-" | "~" | "?";
  /** Name of the mechanism or modifier in lower case. */
  name: string;
  /** The domain of the term in lower case, without its final dot; empty: that of the record. With macros where `%` is in it. */
  domain: string;
  network: Network | null;
  /** Prefix lengths of the addresses of `a` and `mx`. */
  prefix: [ipv4: number, ipv6: number];
}

/** A network of IP addresses: the bytes of one address in it, and the bits that count. */
export interface Network {
  bytes: readonly number[];
  bits: number;
}

/** Names of terms by the domain that follows (RFC 7208 5, 6). */
const WITH_DOMAIN = ["include", "exists"];
const OPTIONAL_DOMAIN = ["a", "mx", "ptr"];
const MODIFIERS = ["redirect", "exp"];
/** A macro (RFC 7208 7.1). The letters c, r and t are for explanations only (7.2). */
const MACRO = /%(?:\{[slodiphv](?:0*[1-9]\d*)?r?[-.+,/_=]*\}|[%_-])/gi;
/** The end of a domain (RFC 7208 7.1): a macro, for which a space stands, or a label that is not a number. */
const DOMAIN_END = / $|\.(?=[a-z0-9-]*[a-z-])[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.?$/i;
/** Prefix lengths of IPv4 and IPv6 at the end of a term, without leading zeros (RFC 7208 5.6). */
const PREFIXES = /(?:\/(0|[1-9]\d?))?(?:\/\/(0|[1-9]\d{0,2}))?$/;

/** Parses a record after `v=spf1`. Returns its terms and its errors in sentences, each of which makes it a permerror. Pure. */
export function parseSpf(text: string): { terms: SpfTerm[]; errors: string[] } {
  const errors: string[] = [];
  const terms: SpfTerm[] = [];
  for (const word of text.split(/ +/).slice(1).filter(Boolean)) {
    const term = parseTerm(word);
    if (typeof term === "string") errors.push(term);
    else if (term) terms.push(term);
  }
  for (const name of MODIFIERS)
    if (terms.filter((term) => term.name === name).length > 1) errors.push(`${name}= stands twice`);
  return { terms, errors };
}

/** Returns a term, the error of one that is not valid, or null for a modifier that has no meaning (RFC 7208 6). */
function parseTerm(text: string): SpfTerm | string | null {
  const foreign = /[^!-~]/u.exec(text)?.[0];
  if (foreign !== undefined)
    return `"${text}" has the character ${codePoint(foreign)}: text processors put in other spaces, quotes and hyphens, so type it by hand`;
  if (/^v=spf1$/i.test(text)) return "v=spf1 stands twice: two records are written into one";
  const [, sign = "", name = "", separator = "", rest = ""] =
    /^([+?~-]?)([a-z][a-z0-9_.-]*)([:=/]?)(.*)$/is.exec(text) ?? [];
  const term = { text, qualifier: (sign || "+") as SpfTerm["qualifier"], name: name.toLowerCase(), network: null };
  const wrong = `"${text}" is not valid`;
  const base = { ...term, domain: "", prefix: [32, 128] as [number, number] };
  if (separator === "=") {
    if (sign !== "") return wrong;
    if (["ip4", "ip6", "include", "a", "mx"].includes(term.name)) return `${wrong}: write a colon for the =`;
    if (!MODIFIERS.includes(term.name)) return rest.replace(MACRO, "").includes("%") ? wrong : null;
    return isDomain(rest) ? { ...base, domain: plain(rest) } : `${wrong}: a domain follows ${term.name}=`;
  }
  if (term.name === "all") return separator + rest === "" ? base : wrong;
  if (term.name === "ip4" || term.name === "ip6") {
    const network = separator === ":" ? parseNetwork(rest, term.name === "ip4") : null;
    if (network) return { ...base, network };
    const [kind, most] = term.name === "ip4" ? ["IPv4", 32] : ["IPv6", 128];
    const isTooLong = Number(rest.split("/")[1]) > most;
    return `${wrong}: ${isTooLong ? `the prefix of ${kind} has at most ${most} bits` : `an address or network of ${kind} follows ${term.name}:`}`;
  }
  if (WITH_DOMAIN.includes(term.name))
    return separator === ":" && isDomain(rest)
      ? { ...base, domain: plain(rest) }
      : `${wrong}: a domain follows ${term.name}: without a space`;
  if (!OPTIONAL_DOMAIN.includes(term.name)) return `${wrong}: there is no mechanism ${name || text}`;
  const prefix = term.name === "ptr" ? "" : " or a prefix such as /24 or //64";
  return parseHosts(base, separator + rest) ?? `${wrong}: a domain${prefix} follows ${name}`;
}

/** Parses the domain and the prefix lengths of `a`, `mx` and `ptr`; null when they are not valid. */
function parseHosts(term: SpfTerm, rest: string): SpfTerm | null {
  const [suffix = "", v4 = "32", v6 = "128"] = (term.name === "ptr" ? null : PREFIXES.exec(rest)) ?? [];
  const domain = rest.slice(0, rest.length - suffix.length);
  const isValid = domain === "" || (domain.startsWith(":") && isDomain(domain.slice(1)));
  if (!isValid || Number(v4) > 32 || Number(v6) > 128) return null;
  return { ...term, domain: plain(domain.slice(1)), prefix: [Number(v4), Number(v6)] };
}

/** Returns whether a text is a domain (RFC 7208 7.1). One without macros must be a name that DNS can hold. */
function isDomain(text: string): boolean {
  const literal = text.replace(MACRO, " ");
  return !literal.includes("%") && DOMAIN_END.test(literal) && (literal !== text || isDnsName(plain(text)));
}

const plain = (domain: string) => domain.toLowerCase().replace(/\.$/, "");

function parseNetwork(text: string, isV4: boolean): Network | null {
  const [, address = "", length] = /^([^/]+)(?:\/(0|[1-9]\d{0,2}))?$/.exec(text) ?? [];
  const most = isV4 ? 32 : 128;
  const bits = Number(length ?? most);
  const ip = parseIp(address);
  return ip === null || isIPv4(ip) !== isV4 || bits > most ? null : { bytes: ip.toByteArray(), bits };
}

/** Returns whether every address of a network is in one of others. Pure. */
export const covers = (networks: readonly Network[], { bytes, bits }: Network): boolean =>
  networks.some(
    (other) => other.bytes.length === bytes.length && other.bits <= bits && isEqualUpTo(other.bytes, bytes, other.bits),
  );

function isEqualUpTo(a: readonly number[], b: readonly number[], bits: number): boolean {
  return a.every((byte, index) => {
    const shift = 8 - Math.min(8, Math.max(0, bits - index * 8));
    return byte >> shift === (b[index] ?? 0) >> shift;
  });
}
