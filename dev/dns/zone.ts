import { type Domain, type DomainRecord, type ListDomains, toDnsRecord } from "./published.ts";
import { keepRecent } from "./recent.ts";
import { type Found, inZone, NXDOMAIN, SERVFAIL } from "./resolve.ts";
import type { DnsRecord } from "./server.ts";
import { findSpecial } from "./special-names.ts";

/** Nothing is remembered: a domain that was just registered anew has another token. Questions at once share a read. */
const RECENT_MS = 0;

/** DNS below `test`, where the owner of each domain has published what the API told them. */
export interface Zone {
  find(name: string): Promise<Found>;
  /** For the page: what is published for each domain now. */
  list(): Promise<Publication[]>;
}

export interface Publication {
  domain: Domain;
  records: DnsRecord[];
}

/** The zone of all domains that `listDomains` lists. Other names do not exist; nobody else is asked. */
export function openZone(listDomains: ListDomains): Zone {
  const publications = keepRecent(async () => toPublications(await listDomains()), RECENT_MS);
  return {
    list: () => publications.anew(),
    async find(name) {
      if (!name.endsWith(".test")) return NXDOMAIN;
      const answer = findSpecial(name)?.answer;
      if (answer) return answer;
      try {
        const found = inZone(byName(await publications.recent()), name);
        if (Array.isArray(found) && found.length > 0) return found;
        // Not there: perhaps registered since.
        return inZone(byName(await publications.anew()), name);
      } catch {
        return SERVFAIL;
      }
    },
  };
}

function toPublications(domains: Domain[]): Publication[] {
  return domains
    .filter(({ name }) => name.endsWith(".test"))
    .map((domain) => ({ domain, records: publishedOf(domain).map(toDnsRecord) }));
}

function publishedOf({ name, records }: Domain): DomainRecord[] {
  return findSpecial(name)?.publishes(records) ?? records;
}

function byName(publications: Publication[]): Map<string, DnsRecord[]> {
  return Map.groupBy(
    publications.flatMap(({ records }) => records),
    ({ name }) => name,
  );
}
