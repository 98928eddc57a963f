import { escapeHtml } from "../../lib/placeholders.ts";
import type { MailServer } from "../../platform/settings/mail-servers.ts";
import { type Element, toXml } from "./xml.ts";

/**
 * Returns the configuration file of Thunderbird and of the programs that read the same (Autoconfig, version 1.1) for the addresses of a
 * domain. The program fills in its own address. Pure.
 */
export function toAutoconfig(domain: string, name: string, servers: readonly MailServer[]): string {
  const provider: Element[] = [
    ["domain", domain],
    ["displayName", name],
    ["displayShortName", name],
    ...servers.map(toServer),
  ];
  return toXml([['clientConfig version="1.1"', [[`emailProvider id="${escapeHtml(domain)}"`, provider]]]]);
}

function toServer({ protocol, host, port, security }: MailServer): Element {
  return [
    protocol === "imap" ? 'incomingServer type="imap"' : 'outgoingServer type="smtp"',
    [
      ["hostname", host],
      ["port", String(port)],
      ["socketType", security === "tls" ? "SSL" : "STARTTLS"],
      ["username", "%EMAILADDRESS%"],
      // Over TLS, which is required.
      ["authentication", "password-cleartext"],
    ],
  ];
}
