import type { DnsRecord } from "./server.ts";

/** A record as the API names it. */
export interface DomainRecord {
  purpose: string;
  type: "TXT" | "CNAME" | "MX";
  name: string;
  value: string;
  priority: number | null;
}

/** A domain as the API lists it; the rest of it is of no interest here. */
export interface Domain {
  name: string;
  status: string;
  records: DomainRecord[];
}

export type ListDomains = () => Promise<Domain[]>;

const PAGE = 500;
/** Less than the service waits for DNS. */
const ANSWER_MS = 3_000;

/** Asks the service's own API, page by page. Throws when it is not up. */
export async function listDomains(baseUrl: string, apiKey: string): Promise<Domain[]> {
  const domains: Domain[] = [];
  for (let page = 0; ; page += 1) {
    const response = await fetch(`${baseUrl}/domains/?limit=${PAGE}&page=${page}`, {
      headers: { Authorization: `Bearer ${apiKey}` },
      signal: AbortSignal.timeout(ANSWER_MS),
    });
    if (!response.ok) throw new Error(`The API answered ${response.status}: ${await response.text()}`);
    const found = (await response.json()) as Domain[];
    domains.push(...found);
    if (found.length < PAGE) return domains;
  }
}

/** A DNS record for what the API named. */
export function toDnsRecord({ type, name, value, priority }: DomainRecord): DnsRecord {
  return { type, name: name.toLowerCase(), value, ...(priority === null ? {} : { priority }) };
}
