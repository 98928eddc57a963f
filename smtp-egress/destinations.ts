import type { Clock } from "../mail-gateway/clock.ts";
import type { AddressIssue } from "./allowed-addresses.ts";
import type { EgressConfig } from "./config.ts";
import { SecureDns } from "./dane/secure-dns.ts";
import { type TlsaFound, TlsaLookups } from "./dane/tlsa-lookups.ts";
import { SystemDns } from "./dns.ts";
import { Policies } from "./mta-sts.ts";
import { Routes } from "./resolve.ts";
import type { Route } from "./route.ts";
import type { Destination } from "./sessions.ts";
import { ruleOf } from "./tls-rule.ts";

/** Numbers of answers of DNS by their security, and of look-ups of TLSA records by what was found. */
export interface DaneCounts {
  answers: Readonly<Record<string, number>>;
  lookups: Readonly<Record<TlsaFound["kind"], number>>;
}

/** Finds where mail of a domain goes, and how. */
export interface Destinations {
  routeOf(domain: string): Promise<Route>;
  /** Returns the hosts of a route with the TLS that their TLSA records and the MTA-STS policy of the domain require. */
  destinationOf(domain: string, route: Route & { kind: "hosts" }): Promise<Destination>;
  /** Counts for metrics; null without DANE. */
  dane: DaneCounts | null;
}

const NO_TLSA: TlsaFound = { kind: "none" };

/** Returns destinations by DNS, by TLSA records where a validating resolver is given, and by MTA-STS policies. `ca`: certificate authorities; null: those of the system. */
export function findDestinations(
  config: Pick<EgressConfig, "name" | "dnsServers" | "daneResolver" | "policyPort">,
  { ca, issueOf, clock }: { ca: Buffer | null; issueOf(address: string): AddressIssue; clock: Clock },
): Destinations {
  const secureDns = config.daneResolver && new SecureDns(config.daneResolver, clock);
  const tlsa = secureDns && new TlsaLookups(secureDns, clock);
  const dns = secureDns ?? new SystemDns(config.dnsServers, clock);
  const routes = new Routes({ dns, issueOf, ownName: config.name, clock });
  const policies = new Policies({ dns, issueOf, ca, port: config.policyPort, clock });
  return {
    routeOf: (domain) => routes.routeOf(domain),
    async destinationOf(domain, { hosts }) {
      const [policy, ...found] = await Promise.all([
        policies.policyOf(domain),
        ...hosts.map(({ tlsaBases }) => tlsa?.find(tlsaBases) ?? NO_TLSA),
      ]);
      const withRules = hosts.map((host, index) => ({
        ...host,
        rule: ruleOf(domain, host.name, policy, found[index] ?? NO_TLSA),
      }));
      return { hosts: withRules };
    },
    dane: secureDns && tlsa && { answers: secureDns.counts, lookups: tlsa.counts },
  };
}
