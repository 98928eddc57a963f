import { codePoint } from "../../lib/text-rules.ts";

/** An address of `rua` (RFC 9989 4.7). */
interface RuaAddress {
  /** As it stands in the record. */
  uri: string;
  /** The domain of a mailto URI in lower case; null for any other text. */
  domain: string | null;
  address: string | null;
}

/** A DMARC policy record (RFC 9989 4.7). Tags that are not there have their default, or null where it depends on others. */
export interface DmarcRecord {
  p: string | null;
  sp: string | null;
  np: string | null;
  psd: "y" | "n" | "u";
  isTesting: boolean;
  adkim: "r" | "s";
  aspf: "r" | "s";
  rua: RuaAddress[];
  /** Value of the tag `pct`, which RFC 9989 has removed. */
  pct: string | null;
  /** Errors in sentences, for people. Receivers ignore a tag that is not valid, or the record. */
  errors: string[];
}

const POLICIES = ["none", "quarantine", "reject"];
const KNOWN = ["v", "p", "sp", "np", "psd", "t", "adkim", "aspf", "rua", "ruf", "fo", "rf", "ri", "pct"];
/** Addresses of `rua` that are read. */
const MAX_ADDRESSES = 10;

/** Returns whether a TXT value is a DMARC policy record: `v=DMARC1` comes first and is case-sensitive (RFC 9989 4.8). */
export const isDmarcRecord = (text: string): boolean => /^v\s*=\s*DMARC1\s*(;|$)/.test(text);

/** Parses a value for which `isDmarcRecord` holds. Pure. */
export function parseDmarcRecord(text: string): DmarcRecord {
  const errors: string[] = [];
  const foreign = /[^\t -~]/u.exec(text)?.[0];
  if (foreign !== undefined)
    errors.push(`it has the character ${codePoint(foreign)}, which is no space, quote or hyphen of ASCII`);
  const tags = new Map<string, string>();
  for (const part of text.split(";").map((one) => one.trim())) {
    if (part === "") continue;
    const [, name, value] = /^([A-Za-z0-9]+)\s*=\s*(.*)$/s.exec(part) ?? [];
    if (name === undefined || value === undefined) errors.push(`"${part}" is no tag with a value`);
    else if (tags.has(name.toLowerCase())) errors.push(`the tag ${name} stands twice`);
    else tags.set(name.toLowerCase(), value.trim());
  }
  for (const name of tags.keys()) if (!KNOWN.includes(name)) errors.push(`there is no tag ${name}`);
  const policy = (name: string) => {
    const value = tags.get(name)?.toLowerCase() ?? null;
    if (value === null || POLICIES.includes(value)) return value;
    errors.push(`${name}=${value} is none of none, quarantine and reject`);
    return null;
  };
  const choice = <Value extends string>(name: string, values: readonly Value[], fallback: Value): Value => {
    const value = tags.get(name)?.toLowerCase();
    const found = values.find((one) => one === value);
    if (value !== undefined && found === undefined) errors.push(`${name}=${value} is none of ${values.join(" and ")}`);
    return found ?? fallback;
  };
  const p = policy("p");
  if (!tags.has("p")) errors.push("the tag p is missing");
  const rua = (tags.get("rua") ?? "").split(",").map((uri) => uri.trim());
  const addresses = rua
    .filter((uri) => uri !== "")
    .slice(0, MAX_ADDRESSES)
    .map(parseUri);
  for (const { uri, domain } of addresses) if (domain === null) errors.push(`${uri} in rua is no mailto: address`);
  return {
    p,
    sp: policy("sp"),
    np: policy("np"),
    psd: choice("psd", ["y", "n", "u"], "u"),
    isTesting: choice("t", ["y", "n"], "n") === "y",
    adkim: choice("adkim", ["r", "s"], "r"),
    aspf: choice("aspf", ["r", "s"], "r"),
    rua: addresses,
    pct: tags.get("pct") ?? null,
    errors,
  };
}

/** Parses a URI; older records have a limit of the size after `!`. */
function parseUri(uri: string): RuaAddress {
  const [, address, domain] = /^mailto:([^@\s!]+@([A-Za-z0-9.-]+\.[A-Za-z0-9-]+))(?:!\d+[kmgt]?)?$/i.exec(uri) ?? [];
  return { uri, address: address?.toLowerCase() ?? null, domain: domain?.toLowerCase() ?? null };
}
