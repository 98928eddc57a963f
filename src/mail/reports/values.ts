/** Values that reports and returned mail have in common: addresses, hosts, codes, ids. */

const MAX_DIAGNOSTIC = 1000;

/** An address as it stands in running text; no more of it than RFC 5321 4.5.3.1 allows, so that looking is cheap. */
export const ADDRESS =
  "[^\\s<>()\\[\\],;:\"'|=*]{1,64}@[a-zA-Z0-9\\u0080-\\uffff](?:[a-zA-Z0-9.\\u0080-\\uffff-]{0,252}[a-zA-Z0-9\\u0080-\\uffff])?";

const WHOLE_ADDRESS = /^<?(?:mailto:)?([^\s<>]{1,128}@[^\s<>@]{1,253}?)\.?>?(?:\s*\(.*\))?$/u;

/** The address of a field that holds one, bare or in angle brackets; null when it holds none. */
export function addressOf(value: string | null): string | null {
  const text = value?.trim() ?? "";
  return WHOLE_ADDRESS.exec(text)?.[1] ?? WHOLE_ADDRESS.exec(/<[^<>]*>$/.exec(text)?.[0] ?? "")?.[1] ?? null;
}

/**
 * The address of `type; address` (RFC 3464 2.1.2), also one without its type. Type `utf-8` may write characters as
 * `\x{20AC}` (RFC 6533 3). Null for what is no mail address.
 */
export function typedAddressOf(value: string | null): string | null {
  const { type, text } = typed(value ?? "");
  return addressOf(
    type === "utf-8" ? text.replace(/\\x\{([0-9a-f]{2,6})\}/gi, (_, code: string) => fromHex(code)) : text,
  );
}

function fromHex(code: string): string {
  const point = Number.parseInt(code, 16);
  return point <= 0x10ffff ? String.fromCodePoint(point) : "";
}

/** `type; text` taken apart. */
export function typed(value: string): { type: string | null; text: string } {
  const found = /^\s*([a-z0-9.+_-]{1,40})\s*;/i.exec(value);
  return { type: found?.[1]?.toLowerCase() ?? null, text: value.slice(found?.[0].length ?? 0).trim() };
}

/** The first word of a host's name as reports give it; null when there is none. */
export function hostOf(value: string | null): string | null {
  return (
    /^[a-z0-9_:[\].-]{1,255}/i
      .exec(typed(value ?? "").text)?.[0]
      ?.replace(/\.$/, "")
      .toLowerCase() || null
  );
}

/** Text on one line, of bounded length; null when nothing is left. */
export function oneLine(text: string | null): string | null {
  return (
    text
      ?.slice(0, 4 * MAX_DIAGNOSTIC)
      .replace(/\s+/g, " ")
      .trim()
      .slice(0, MAX_DIAGNOSTIC)
      .trimEnd() || null
  );
}

/** The enhanced status code (RFC 3463 2) in a text: one that follows a reply code, else the first. Not part of an IP. */
export function statusIn(text: string): string | null {
  const afterReply = /(?<![\d.])[245]\d\d[ -]#?([245]\.[0-7]\.\d{1,3})(?!\.?\d)/.exec(text);
  return (afterReply ?? /(?<![\d.])([245]\.[0-7]\.\d{1,3})(?!\.?\d)/.exec(text))?.[1] ?? null;
}

/** The first message id (RFC 5322 3.6.4) of a field. */
export function messageIdOf(value: string | null): string | null {
  return /<[^<>\s]{1,500}>/.exec(value ?? "")?.[0] ?? null;
}
