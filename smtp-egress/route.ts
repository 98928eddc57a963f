import type { AddressIssue } from "./allowed-addresses.ts";

/** A mail server of a domain. */
export interface MxHost {
  name: string;
  preference: number;
  /** Empty: none, or none that may be used. */
  addresses: readonly string[];
  /** Names that may have its TLSA records; none when the MX records or its addresses are not secure (DNSSEC). */
  tlsaBases: readonly string[];
}

/** Where mail of a domain goes: the hosts in the order in which they are tried. */
export type Route =
  | { kind: "hosts"; hosts: readonly MxHost[] }
  /** Never: a reply as for RCPT, with code and enhanced code (RFC 3463). */
  | { kind: "refused"; reply: string }
  /** Perhaps later: DNS did not answer. */
  | { kind: "failed"; reason: string };

/** Answers of DNS about the mail servers of a domain. */
export interface MailServers {
  domain: string;
  /** True when there is no MX record, and the domain itself is the server (RFC 5321 5.1). */
  isImplicit: boolean;
  hosts: readonly (MxHost & { isKnown: boolean })[];
}

/**
 * Returns the route of a domain: its hosts that are better than this server itself, without addresses that may not be used.
 * `isKnown` of a host is false when DNS did not answer about it. Pure.
 */
export function routeOf(
  { domain, isImplicit, hosts }: MailServers,
  ownName: string,
  issueOf: (address: string) => AddressIssue,
): Route {
  if (hosts.some(({ name }) => name === "") && hosts.length === 1)
    return { kind: "refused", reply: `550 5.1.10 ${domain} accepts no mail (null MX)` };
  const own = hosts.find(({ name }) => name === ownName.toLowerCase());
  const better = own ? hosts.filter(({ preference }) => preference < own.preference) : hosts;
  const loop: Route = { kind: "refused", reply: `550 5.4.6 Mail for ${domain} loops back to ${ownName}` };
  if (better.length === 0) return loop;
  const issues = better.flatMap(({ addresses }) => addresses.map(issueOf));
  const usable = better
    .map(({ name, preference, tlsaBases, addresses }) => ({
      name,
      preference,
      tlsaBases,
      addresses: addresses.filter((address) => issueOf(address) === null),
    }))
    .filter(({ addresses }) => addresses.length > 0);
  if (usable.length > 0) return { kind: "hosts", hosts: usable };
  if (issues.includes("own")) return loop;
  if (issues.includes("private"))
    return { kind: "refused", reply: `550 5.4.4 The mail servers of ${domain} have private addresses` };
  if (better.some(({ isKnown }) => !isKnown)) return { kind: "failed", reason: `DNS did not answer about ${domain}` };
  if (isImplicit) return { kind: "refused", reply: `550 5.1.2 ${domain} has neither an MX record nor an address` };
  return { kind: "refused", reply: `550 5.4.4 No mail server of ${domain} has an address` };
}
