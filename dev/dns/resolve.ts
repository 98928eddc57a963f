import type { Answer, DnsRecord } from "./server.ts";

/** What is at a name: its records, of all types, or an answer that ends the search there. */
export type Found = DnsRecord[] | Answer;

export const NXDOMAIN: Answer = { rcode: "NXDOMAIN", answers: [] };
export const SERVFAIL: Answer = { rcode: "SERVFAIL", answers: [] };
export const REFUSED: Answer = { rcode: "REFUSED", answers: [] };

const LONGEST_CHAIN = 8;

/** Answers as a recursive resolver does: every CNAME on the way, then the records of where it leads. */
export async function resolve(
  find: (name: string) => Found | Promise<Found>,
  name: string,
  type: string,
): Promise<Answer> {
  const chain: DnsRecord[] = [];
  for (let at = name; chain.length <= LONGEST_CHAIN; ) {
    const found = await find(at);
    if (!Array.isArray(found)) return found === NXDOMAIN ? { rcode: "NXDOMAIN", answers: chain } : found;
    const alias = type === "CNAME" ? undefined : found.find((record) => record.type === "CNAME");
    if (!alias) return { rcode: "NOERROR", answers: [...chain, ...found.filter((record) => record.type === type)] };
    chain.push(alias);
    at = alias.value.toLowerCase();
  }
  return SERVFAIL;
}

/** Records by name, in lower case. A name that has none but stands above one that has exists all the same (RFC 8020). */
export function inZone(zone: ReadonlyMap<string, DnsRecord[]>, name: string): Found {
  const isAbove = () => [...zone.keys()].some((other) => other.endsWith(`.${name}`));
  return zone.get(name) ?? (isAbove() ? [] : NXDOMAIN);
}
