import { cacheReads } from "./cached-read.ts";
import { type Domain, type DomainRecord, type ListDomains, toDnsRecord } from "./list-domains.ts";
import type { DnsRecord } from "./record.ts";
import { type Found, inZone, NXDOMAIN, SERVFAIL } from "./resolve.ts";
import { findSpecialName } from "./special-names.ts";

/** 0: a domain that is registered again has a new token, so no result is cached. Concurrent questions share a read. */
const CACHE_MS = 0;

/** The DNS zone `test`. Each registered domain has the DNS records that the API asks for. */
export interface Zone {
  find(name: string): Promise<Found>;
  /** Returns the published records of each domain, for the DNS page. */
  list(): Promise<Publication[]>;
}

export interface Publication {
  domain: Domain;
  records: DnsRecord[];
}

/** Returns the zone of the domains of `listDomains`. Other names do not exist, and no other server is queried. */
export function openZone(listDomains: ListDomains): Zone {
  const publications = cacheReads(async () => toPublications(await listDomains()), CACHE_MS);
  return {
    list: () => publications.fresh(),
    async find(name) {
      if (!name.endsWith(".test")) return NXDOMAIN;
      const answer = findSpecialName(name)?.answer;
      if (answer) return answer;
      try {
        const found = inZone(byName(await publications.cached()), name);
        if (Array.isArray(found) && found.length > 0) return found;
        // The domain may have been registered since the last read.
        return inZone(byName(await publications.fresh()), name);
      } catch {
        return SERVFAIL;
      }
    },
  };
}

/** Of a name that several workspaces registered, DNS has the ownership record of each, and the others of one: the verified or first one. */
function toPublications(domains: Domain[]): Publication[] {
  const local = domains.filter(({ name }) => name.endsWith(".test"));
  // The last one of a name stays in the map.
  const last = local.toReversed().toSorted((a, b) => rank(a) - rank(b));
  const chosen = new Map(last.map((domain) => [domain.name, domain]));
  return local.map((domain) => {
    const { name, records } = domain;
    const own = chosen.get(name) === domain ? records : records.filter(({ purpose }) => purpose === "ownership");
    return { domain, records: publishedRecords(name, own).map(toDnsRecord) };
  });
}

const rank = ({ status }: Domain) => (status === "verified" ? 1 : 0);

function publishedRecords(name: string, records: DomainRecord[]): DomainRecord[] {
  return findSpecialName(name)?.publishes(records) ?? records;
}

function byName(publications: Publication[]): Map<string, DnsRecord[]> {
  return Map.groupBy(
    publications.flatMap(({ records }) => records),
    ({ name }) => name,
  );
}
