import type { Answer, DnsRecord } from "./record.ts";

/** The records of a name, of all types, or a final answer. */
export type Found = DnsRecord[] | Answer;

export const NXDOMAIN: Answer = { rcode: "NXDOMAIN", answers: [] };
export const SERVFAIL: Answer = { rcode: "SERVFAIL", answers: [] };
export const REFUSED: Answer = { rcode: "REFUSED", answers: [] };

const MAX_CNAMES = 8;

/** Answers as a recursive resolver: follows up to 8 CNAMEs and returns them before the records of the last name. */
export async function resolve(
  find: (name: string) => Found | Promise<Found>,
  name: string,
  type: string,
): Promise<Answer> {
  const chain: DnsRecord[] = [];
  for (let at = name; chain.length <= MAX_CNAMES; ) {
    const found = await find(at);
    if (!Array.isArray(found)) return found === NXDOMAIN ? { rcode: "NXDOMAIN", answers: chain } : found;
    const alias = type === "CNAME" ? undefined : found.find((record) => record.type === "CNAME");
    if (!alias) return { rcode: "NOERROR", answers: [...chain, ...found.filter((record) => record.type === type)] };
    chain.push(alias);
    at = alias.value.toLowerCase();
  }
  return SERVFAIL;
}

/** Finds a name in a zone, whose keys are lower case. A parent of an existing name has no records but exists (RFC 8020). */
export function inZone(zone: ReadonlyMap<string, DnsRecord[]>, name: string): Found {
  const isParent = () => [...zone.keys()].some((existing) => existing.endsWith(`.${name}`));
  return zone.get(name) ?? (isParent() ? [] : NXDOMAIN);
}
