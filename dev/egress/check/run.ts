import { isIP } from "node:net";
import { hostname } from "node:os";
import { parseIp } from "../../../src/lib/ip-addresses.ts";
import { parseEgressUrl } from "../../../src/mail/smtp/egress-url.ts";
import { checkBlocklists } from "./blocklists.ts";
import { checkCertificate } from "./certificate.ts";
import { addressesOf, createResolver } from "./dns.ts";
import { type Finding, wrong } from "./finding.ts";
import { checkName, checkPtr } from "./names.ts";
import { checkMx, checkPort, type Place } from "./port.ts";
import { checkSpf } from "./spf.ts";

/** Options of the check, as the operator gives them. Lists are separated by commas. */
export interface CheckOptions {
  /** EHLO name; default: EGRESS_NAME, or the name of this machine. */
  name?: string | undefined;
  /** Source addresses; default: SOURCE_ADDRESS, or those that the system chooses, and the addresses of the name behind NAT. */
  address?: string | undefined;
  /** A sending domain whose SPF is checked. */
  domain?: string | undefined;
  /** A domain to whose MX host a connection is made. */
  to?: string | undefined;
  /** Host, with or without port, in place of that. */
  connect?: string | undefined;
  /** DNS servers; default: those of the system. */
  dns?: string | undefined;
  /** Zones of blocklists in place of the usual ones. */
  blocklists?: string | undefined;
  /** EGRESS_URL, user and password left out; default: port 587 of the name. */
  egress?: string | undefined;
}

const SMTP_PORT = 25;
const OTHER_RESOLVER =
  "start the resolver that --dns names (systemctl status unbound), repeat it, or choose another: --dns 192.0.2.53.";

/** The machine on which the check runs. */
export interface CheckedMachine {
  env: Readonly<Record<string, string | undefined>>;
  /** Addresses that receivers see when it connects to them (outgoing.ts). */
  outgoing: readonly string[];
  /** Time, in ms since 1970. */
  now: number;
}

/** Returns what is wrong with the host of an egress. The checks run on that host, since port 25 is tried from here. */
export async function checkEgress(options: CheckOptions, { env, outgoing, now }: CheckedMachine): Promise<Finding[]> {
  const name = options.name || env.EGRESS_NAME || hostname();
  const egress = parseEgressUrl(options.egress || `smtp://${name}`);
  const servers = listOf(options.dns);
  const resolver = createResolver(servers);
  const given = listOf(options.address || env.SOURCE_ADDRESS);
  for (const address of given)
    if (parseIp(address) === null) throw new Error(`--address: ${address} is no IP address.`);
  const named = given.length > 0 ? [] : await addressesOf(resolver, name).catch((error: Error) => error);
  const addresses = given.length > 0 ? given : sourcesOf(outgoing, named instanceof Error ? [] : named);
  const [first] = addresses;
  const host = { name, ...(first === undefined ? {} : { address: first }) };
  const checks: Promise<Finding | Finding[]>[] = [
    ...(first === undefined ? [Promise.resolve(withoutAddress(name, named))] : []),
    ...addresses.flatMap((address) => [
      guarded(`PTR of ${address}`, checkPtr(resolver, name, address)),
      guarded(`EHLO name ${name}`, checkName(resolver, name, address)),
      guarded(`SPF for ${address}`, checkSpf(resolver, options.domain || null, { name, address })),
      guarded(
        `blocklists about ${address}`,
        checkBlocklists(resolver, address, { zones: listOf(options.blocklists), servers }),
      ),
    ]),
    guarded(
      "port 25",
      options.connect ? checkPort(resolver, toPlace(options.connect), host) : checkMx(resolver, options.to, host),
    ),
    guarded("certificate", checkCertificate(egress, now)),
  ];
  return (await Promise.all(checks)).flat();
}

/** Returns the addresses from which mail leaves: those of the machine, and of an IP version that it does not know those of the name. */
function sourcesOf(outgoing: readonly string[], named: readonly string[]): string[] {
  const isKnown = (address: string) => outgoing.some((other) => isIP(other) === isIP(address));
  return [...outgoing, ...named.filter((address) => !isKnown(address))];
}

/** Returns the finding about a name whose addresses, or the error of their look-up, tell no source address. */
function withoutAddress(name: string, named: string[] | Error): Finding {
  const subject = `EHLO name ${name}`;
  if (named instanceof Error) return wrong(subject, `${named.message}.`, OTHER_RESOLVER);
  return wrong(
    subject,
    "it has no address, so the source address is not known.",
    "publish its A record, or give the address: --address 192.0.2.1.",
  );
}

/** Turns an error of a check into a finding. */
function guarded<Result>(subject: string, check: Promise<Result>): Promise<Result | Finding> {
  return check.catch((error: unknown) => wrong(subject, `${(error as Error).message}.`, OTHER_RESOLVER));
}

const listOf = (text = "") => text.split(",").flatMap((part) => (part.trim() === "" ? [] : [part.trim()]));

/** Reads `host`, `host:port` or `[IPv6]:port`. */
function toPlace(text: string): Place {
  const [, literal, host = literal, port] = /^(?:\[([\da-f:.]+)\]|([^:]+))(?::(\d{1,5}))?$/i.exec(text) ?? [];
  if (host === undefined) throw new Error(`--connect: "${text}" is no host with a port.`);
  return { host, port: port === undefined ? SMTP_PORT : Number(port) };
}
