import type { DnsRecord } from "./record.ts";

/** A DNS record in the API's response. */
export interface DomainRecord {
  purpose: string;
  type: "TXT" | "CNAME" | "MX" | "SRV";
  name: string;
  value: string;
  priority: number | null;
}

/** The fields of a domain in the API's response that DNS needs. */
export interface Domain {
  name: string;
  status: string;
  records: DomainRecord[];
}

export type ListDomains = () => Promise<Domain[]>;

const PAGE_SIZE = 500;
const MAX_DOMAINS = 1_000;
/** Shorter than the service's own DNS timeout, so that it gets a SERVFAIL and not a timeout. */
const TIMEOUT_MS = 3_000;

/**
 * Lists at most 1,000 domains: those of a workspace by the API and its key, or of all workspaces by the calls of the local Worker
 * and GATEWAY_SECRET (respond-domains.ts). Throws when the Worker does not respond.
 */
export async function listDomains(baseUrl: string, key: string): Promise<Domain[]> {
  const domains: Domain[] = [];
  for (let page = 0; domains.length < MAX_DOMAINS; page += 1) {
    const response = await fetch(`${baseUrl}/domains/?limit=${PAGE_SIZE}&page=${page}`, {
      headers: { Authorization: `Bearer ${key}` },
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    if (!response.ok) throw new Error(`The API responded with ${response.status}: ${await response.text()}`);
    const found = (await response.json()) as Domain[];
    domains.push(...found);
    if (found.length < PAGE_SIZE) break;
  }
  return domains;
}

/** Converts a record of the API to a DNS record. */
export function toDnsRecord({ type, name, value, priority }: DomainRecord): DnsRecord {
  return { type, name: name.toLowerCase(), value, ...(priority === null ? {} : { priority }) };
}
