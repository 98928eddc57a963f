import { formatSpec, mailboxesOf } from "../addresses/read-list.ts";

/** Parses the values that reports contain: addresses, hosts, status codes and message ids. */

const MAX_DIAGNOSTIC = 1000;

/** Letters beyond ASCII, without the punctuation of Chinese and Japanese, which stands beside addresses without a space. */
const LETTERS = "\\u0080-\\u2fff\\u3005-\\u3007\\u3040-\\ufeff";

/** Pattern of an address in running text. Lengths are bounded by RFC 5321 4.5.3.1, which also bounds the search. */
export const ADDRESS = `[^\\s<>()\\[\\],;:"'|=*、。（）：，＜＞「」]{1,64}@[a-zA-Z0-9${LETTERS}](?:[a-zA-Z0-9.${LETTERS}-]{0,252}[a-zA-Z0-9${LETTERS}])?`;

/** Returns the address of a field, bare or in angle brackets, the first of several; null when there is none. */
export function parseAddress(value: string | null): string | null {
  const text = (value ?? "").slice(0, 2000).replace(/\bmailto:/i, "");
  const spec = mailboxesOf(text).find((mailbox) => mailbox.spec?.domain)?.spec;
  return spec ? formatSpec(spec).replace(/\.$/, "") : null;
}

/**
 * Returns the address of `type; address` (RFC 3464 2.1.2); the type may be missing. Type `utf-8` may escape characters
 * as `\x{20AC}` (RFC 6533 3). Returns null when the value is no mail address.
 */
export function parseTypedAddress(value: string | null): string | null {
  const { type, text } = parseTyped(value ?? "");
  return parseAddress(
    type === "utf-8" ? text.replace(/\\x\{([0-9a-f]{2,6})\}/gi, (_, code: string) => fromHex(code)) : text,
  );
}

function fromHex(code: string): string {
  const point = Number.parseInt(code, 16);
  return point <= 0x10ffff ? String.fromCodePoint(point) : "";
}

/** Splits `type; text`. The type is null when it is missing. */
export function parseTyped(value: string): { type: string | null; text: string } {
  const found = /^\s*([a-z0-9.+_-]{1,40})\s*;/i.exec(value);
  return { type: found?.[1]?.toLowerCase() ?? null, text: value.slice(found?.[0].length ?? 0).trim() };
}

/** Returns the host name of a field such as Remote-MTA, in lower case; null when there is none. */
export function parseHost(value: string | null): string | null {
  return (
    /^[a-z0-9_:[\].-]{1,255}/i
      .exec(parseTyped(value ?? "").text)?.[0]
      ?.replace(/\.$/, "")
      .toLowerCase() || null
  );
}

/** Returns the text on one line, at most 1,000 characters; null when it is empty. */
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

/** Returns the enhanced status code (RFC 3463 2) that follows a reply code, else the first one. Ignores IP addresses. */
export function findStatus(text: string): string | null {
  const afterReply = /(?<![\d.])[245]\d\d[ -]#?([245]\.[0-7]\.\d{1,3})(?!\.?\d)/.exec(text);
  return (afterReply ?? /(?<![\d.])([245]\.[0-7]\.\d{1,3})(?!\.?\d)/.exec(text))?.[1] ?? null;
}

/** Returns the first message id (RFC 5322 3.6.4) of a field, with its angle brackets. */
export const findMessageId = (value: string | null): string | null => /<[^<>\s]{1,500}>/.exec(value ?? "")?.[0] ?? null;

/** Returns all enhanced status codes (RFC 3463 2) of a text, at most 20. Ignores IP addresses and version numbers. */
export function findStatuses(text: string): string[] {
  const found = text.slice(0, 4000).matchAll(/(?<![\d.v])([245]\.[0-7]\.\d{1,3})(?!\.?\d)/g);
  return Array.from(found, ([code]) => code).slice(0, 20);
}
