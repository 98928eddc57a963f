/** Decides without DNS whether requests may go to a URL of a customer (docs/contract/webhooks.md#webhook-urls). Pure. */
import { isAtOrBelow } from "../../lib/is-at-or-below.ts";
import { isAddress, isLoopbackAddress, isPublicAddress } from "./addresses.ts";

/** Longest URL, in characters. */
export const MAX_URL_CHARACTERS = 2_048;

/** Names that stand for the machine itself or its network, and those at which clouds serve metadata. */
const PRIVATE_SUFFIXES = ["localhost", "localdomain", "local", "internal", "intranet", "lan", "home.arpa", "onion"];

/** A URL that may be requested once the addresses of its host are known to be public. */
export interface ParsedUrl {
  url: URL;
  /** The host name to look up. Null: the host is an IP address, which is permitted. */
  name: string | null;
}

export interface UrlOptions {
  /** True when plain HTTP to the machine itself is permitted (WEBHOOK_ALLOW_INSECURE). */
  allowLoopback: boolean;
  /** Host of the service itself, which must not call itself. */
  ownHost: string;
}

/**
 * Parses a URL that must be https to a public host. The URL parser (WHATWG) turns every notation of an IPv4 address (decimal, octal,
 * hexadecimal, short, full-width, percent-encoded) into four decimal numbers. Returns a sentence that says what is wrong otherwise.
 */
export function parsePublicUrl(text: string, { allowLoopback, ownHost }: UrlOptions): ParsedUrl | { problem: string } {
  if (text.length > MAX_URL_CHARACTERS)
    return { problem: `the URL has ${text.length} characters; the limit is ${MAX_URL_CHARACTERS}` };
  // The parser removes line breaks, tabs and surrounding space, so that the text would differ from what is requested.
  if (!URL.canParse(text) || /[\p{Cc}\p{Z}]/u.test(text)) return { problem: "the URL is not valid" };
  const url = new URL(text);
  if (url.username !== "" || url.password !== "") return { problem: "the URL must not contain credentials" };
  const host = url.hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
  const isLoopback = host === "localhost" || isLoopbackAddress(host);
  if (allowLoopback && isLoopback && url.protocol === "http:") return { url, name: null };
  if (url.protocol !== "https:") return { problem: "the URL must begin with https://" };
  if (!isPermittedPort(url.port)) return { problem: "the port must be 443 or one from 1024 to 65535" };
  if (isAddress(host)) return isPublicAddress(host) ? { url, name: null } : { problem: "the address is not public" };
  if (!isPublicName(host)) return { problem: "the host is not public" };
  return host === ownHost ? { problem: "the host is this service" } : { url, name: host };
}

/** Other ports below 1024 are those of other protocols. An empty port is 443. */
const isPermittedPort = (port: string) => port === "" || Number(port) >= 1024;

function isPublicName(host: string): boolean {
  // A name without dots is completed by the search list of the machine. `%` and `_` are of no host name (RFC 1123 2.1).
  if (!/^[a-z0-9-]+(\.[a-z0-9-]+)+$/i.test(host) || host.length > 253) return false;
  return !PRIVATE_SUFFIXES.some((suffix) => isAtOrBelow(host, suffix));
}
