/** Parses the reply to EHLO (RFC 5321 4.1.1.1). Pure. */

import type { Capabilities } from "./transport.ts";

/** The capabilities of the Transport port and those that only this client uses. */
export interface ServerCapabilities extends Capabilities {
  startTls: boolean;
  /** MAIL may have SIZE= (RFC 1870). */
  size: boolean;
  /** AUTH mechanisms in upper case. */
  auth: ReadonlySet<string>;
}

/** Capabilities of a server that accepts only HELO. */
export const NO_CAPABILITIES: ServerCapabilities = {
  smtpUtf8: false,
  eightBitMime: false,
  dsn: false,
  pipelining: false,
  lease: false,
  maxSize: null,
  startTls: false,
  size: false,
  auth: new Set(),
};

/** Parses the lines of an EHLO reply; the first is the server's greeting. Skips unknown keywords. */
export function parseCapabilities(lines: readonly string[]): ServerCapabilities {
  const offered = new Map<string, string[]>();
  for (const line of lines.slice(1)) {
    // Old servers write AUTH=PLAIN.
    const [keyword, ...args] = line
      .trim()
      .toUpperCase()
      .replace(/^AUTH=/, "AUTH ")
      .split(/\s+/);
    if (keyword) offered.set(keyword, [...(offered.get(keyword) ?? []), ...args]);
  }
  return {
    smtpUtf8: offered.has("SMTPUTF8"),
    eightBitMime: offered.has("8BITMIME"),
    dsn: offered.has("DSN"),
    pipelining: offered.has("PIPELINING"),
    // XLEASE 1 is that of version 0.2.0, whose tickets have the end of the lease.
    lease: offered.get("XLEASE")?.[0] === "2",
    maxSize: readSize(offered.get("SIZE")?.[0]),
    size: offered.has("SIZE"),
    startTls: offered.has("STARTTLS"),
    auth: new Set(offered.get("AUTH")),
  };
}

/** Parses the parameter of SIZE. No number, or zero, means no fixed limit (RFC 1870 4). */
function readSize(text: string | undefined): number | null {
  const size = /^[0-9]{1,15}$/.test(text ?? "") ? Number(text) : 0;
  return size > 0 ? size : null;
}
