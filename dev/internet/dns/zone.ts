import type { DnsRecord } from "../../dns/record.ts";
import { type Found, NXDOMAIN, SERVFAIL } from "../../dns/resolve.ts";
import type { MailSystem } from "../behaviour.ts";

/** Domains whose DNS is wrong, for the errors that an egress has to tell apart. */
const SPECIAL: Readonly<Record<string, (name: string) => Found>> = {
  // RFC 7505: the domain takes no mail.
  "null-mx.test": (name) => [{ type: "MX", name, value: ".", priority: 0 }],
  "no-address.test": (name) => [{ type: "MX", name, value: "mx.nowhere.test", priority: 10 }],
  "mx.nowhere.test": () => NXDOMAIN,
  "nxdomain.test": () => NXDOMAIN,
  "servfail.test": () => SERVFAIL,
  "no-reply.test": () => "timeout",
};

/**
 * Returns the DNS of the local internet: the records of each domain and MX host of these mail systems. Every other domain has the MX
 * hosts of `others`, so no question ever leaves this machine. Names with an underscore do not exist.
 */
export function internetZone(
  systems: readonly MailSystem[],
  others: MailSystem,
  further: readonly DnsRecord[] = [],
): (name: string) => Found {
  const records = new Map<string, DnsRecord[]>();
  for (const system of systems) for (const [name, found] of recordsOf(system)) records.set(name, found);
  for (const [name, found] of Map.groupBy(further, (record) => record.name)) records.set(name, found);
  return (name) =>
    records.get(name) ??
    SPECIAL[name]?.(name) ??
    (name.split(".").some((label) => label.startsWith("_")) ? NXDOMAIN : mxRecords(name, others.mx));
}

function recordsOf({ domains, mx, address }: MailSystem): [string, DnsRecord[]][] {
  const addressOf = (name: string): DnsRecord[] => [{ type: "A", name, value: address }];
  return [
    ...domains.map((name): [string, DnsRecord[]] => [name, mx.length > 0 ? mxRecords(name, mx) : addressOf(name)]),
    ...mx.map((host): [string, DnsRecord[]] => [host, addressOf(host)]),
  ];
}

const mxRecords = (name: string, hosts: readonly string[]): DnsRecord[] =>
  hosts.map((value, index) => ({ type: "MX", name, value, priority: 10 * (index + 1) }));
