import type { AddressIssue } from "./allowed-addresses.ts";
import type { EgressConfig } from "./config.ts";
import { Dns } from "./dns.ts";
import { Policies } from "./mta-sts.ts";
import { namesHost } from "./mta-sts-policy.ts";
import { Routes } from "./resolve.ts";
import type { Route } from "./route.ts";
import type { Destination } from "./sessions.ts";

/** Finds where mail of a domain goes, and how. */
export interface Destinations {
  routeOf(domain: string): Promise<Route>;
  /** Returns the hosts of a route as the MTA-STS policy of the domain has them. */
  destinationOf(domain: string, route: Route & { kind: "hosts" }): Promise<Destination>;
}

/** Returns destinations by DNS and by MTA-STS policies. `ca`: certificate authorities; null: those of the system. */
export function findDestinations(
  config: Pick<EgressConfig, "name" | "dnsServers" | "policyPort">,
  { ca, issueOf }: { ca: Buffer | null; issueOf(address: string): AddressIssue },
): Destinations {
  const dns = new Dns(config.dnsServers);
  const routes = new Routes({ dns, issueOf, ownName: config.name });
  const policies = new Policies({ dns, issueOf, ca, port: config.policyPort });
  return {
    routeOf: (domain) => routes.routeOf(domain),
    async destinationOf(domain, { hosts }) {
      const policy = await policies.policyOf(domain);
      if (policy?.mode !== "enforce") return { hosts, enforcesTls: () => false };
      return { hosts, enforcesTls: (host) => (namesHost(policy, host) ? true : null) };
    },
  };
}
