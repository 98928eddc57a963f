import { type Address, parseAddress } from "./addresses.ts";
import { misleadingNameIssue, nameIssue } from "./text-rules.ts";

/**
 * Parses `Name <address>`, `"Name" <address>` or a bare address (RFC 5322 3.4, without comments and groups). Returns null
 * when the address or the name is not valid, or the name reads as another address.
 */
export function parseDisplayAddress(text: string): (Address & { name: string | null }) | null {
  const trimmed = text.trim();
  if (!trimmed.endsWith(">")) {
    const address = parseAddress(trimmed);
    return address && { ...address, name: null };
  }
  const open = trimmed.lastIndexOf("<");
  const address = parseAddress(trimmed.slice(open + 1, -1));
  if (open === -1 || address === null) return null;
  const name = unquote(trimmed.slice(0, open).trim());
  if (name === null || nameIssue(name) !== null || misleadingNameIssue(name, address.key) !== null) return null;
  return { ...address, name: name.trim() || null };
}

/** Removes the quotes of a quoted string. Returns null when its quotes do not match. */
function unquote(text: string): string | null {
  if (!text.startsWith('"')) return text.includes('"') ? null : text;
  const inner = /^"((?:[^"\\]|\\.)*)"$/s.exec(text)?.[1];
  return inner === undefined ? null : inner.replace(/\\(.)/gs, "$1");
}
