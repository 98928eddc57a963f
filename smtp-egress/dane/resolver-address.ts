import ipaddr from "ipaddr.js";

/** Address and port of a resolver. */
export interface ResolverAddress {
  address: string;
  port: number;
}

const DNS_PORT = 53;
const MAX_PORT = 65_535;
const FORM = /^(?:\[([^\]]+)\]|([\d.]+))(?::(\d{1,5}))?$/;

/**
 * Reads DANE_RESOLVER. The AD bit of a response proves nothing that came over a network, so only a resolver of this machine is
 * taken. Throws an Error for another one, and for DNS_SERVERS beside it, which would have no effect.
 */
export function readDaneResolver(text: string | undefined, dnsServers: string | undefined): ResolverAddress | null {
  if (!text) return null;
  const [, v6, v4, port] = FORM.exec(text) ?? [];
  const address = v6 ?? v4 ?? text;
  if (!ipaddr.isValid(address) || ipaddr.parse(address).range() !== "loopback")
    throw new Error(`DANE_RESOLVER is "${text}"; it must be a loopback address, such as 127.0.0.1:53 or [::1]:53`);
  const number = port === undefined ? DNS_PORT : Number(port);
  if (number < 1 || number > MAX_PORT)
    throw new Error(`the port of DANE_RESOLVER is ${number}; it must be 1 to ${MAX_PORT}`);
  if (dnsServers) throw new Error("DNS_SERVERS must be empty with DANE_RESOLVER, which then has all look-ups");
  return { address, port: number };
}
