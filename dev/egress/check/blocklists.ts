import type { Resolver } from "node:dns/promises";
import { find, reversedAddress } from "./dns.ts";
import { type Finding, ok, unchecked, wrong } from "./finding.ts";

/** A list of addresses that receivers ask by DNS (RFC 5782). */
interface Blocklist {
  zone: string;
  /** Its terms forbid questions by public resolvers, which it answers with an error or with wrong answers. */
  isForbiddenToPublicResolvers: boolean;
  /** Where an address is removed. */
  removal: string;
}

/** Lists that many receivers read. */
const LISTS: readonly Blocklist[] = [
  { zone: "zen.spamhaus.org", isForbiddenToPublicResolvers: true, removal: "https://check.spamhaus.org/" },
  {
    zone: "b.barracudacentral.org",
    isForbiddenToPublicResolvers: true,
    removal: "https://barracudacentral.org/rbl/removal-request",
  },
  { zone: "bl.spamcop.net", isForbiddenToPublicResolvers: false, removal: "https://www.spamcop.net/bl.shtml" },
  { zone: "psbl.surriel.com", isForbiddenToPublicResolvers: false, removal: "https://psbl.org/remove" },
];

/** Networks of resolvers that answer everyone: Google, Cloudflare, Quad9, OpenDNS, Level 3, AdGuard, Yandex. */
const PUBLIC_RESOLVERS = [
  "8.8.",
  "1.1.1.",
  "1.0.0.",
  "9.9.9.",
  "149.112.112.",
  "208.67.2",
  "4.2.2.",
  "94.140.1",
  "77.88.8.",
  "2001:4860:4860",
  "2606:4700:4700",
  "2620:fe::",
  "2620:119:",
];

/** Checks whether blocklists have an address: those of `zones`, or those that many receivers read. `servers` were chosen by the operator. */
export function checkBlocklists(
  resolver: Resolver,
  address: string,
  { zones, servers }: { zones: readonly string[]; servers: readonly string[] },
): Promise<Finding[]> {
  const lists = zones.map((zone) => LISTS.find((list) => list.zone === zone) ?? ofOperator(zone));
  return Promise.all((lists.length > 0 ? lists : LISTS).map((list) => checkList(resolver, address, { list, servers })));
}

const ofOperator = (zone: string): Blocklist => ({
  zone,
  isForbiddenToPublicResolvers: false,
  removal: `the page of ${zone}`,
});

async function checkList(
  resolver: Resolver,
  address: string,
  { list, servers }: { list: Blocklist; servers: readonly string[] },
): Promise<Finding> {
  const subject = `${list.zone} about ${address}`;
  const isPublic = servers.some((server) =>
    PUBLIC_RESOLVERS.some((network) => server.replace("[", "").startsWith(network)),
  );
  if (list.isForbiddenToPublicResolvers && (servers.length === 0 || isPublic))
    return unchecked(
      subject,
      "not asked, because the list forbids public resolvers and this may be one.",
      "name a resolver of your own: --dns 127.0.0.1.",
    );
  const name = `${reversedAddress(address)}.${list.zone}`;
  const codes = await find(resolver.resolve4(name));
  if (codes.length === 0) return ok(subject, "not listed.");
  if (codes.some((code) => code.startsWith("127.255.255.") || !code.startsWith("127.")))
    return unchecked(
      subject,
      `the list refuses the question (${codes.join(", ")}), because of the resolver or of too many questions.`,
      "ask by a resolver of your own on this machine, such as unbound: --dns 127.0.0.1.",
    );
  const reasons = await find(resolver.resolveTxt(name)).catch(() => []);
  const reason = reasons.map((parts) => parts.join("").replace(/[^\x20-\x7e]/g, "")).join(" ");
  return wrong(
    subject,
    `listed (${[...codes, reason].filter(Boolean).join("; ")}).`,
    `find out why, then ask for removal: ${list.removal}.`,
  );
}
