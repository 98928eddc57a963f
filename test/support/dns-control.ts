/** The DNS of the tests: the Worker under test asks it as its resolver, and tests say what it answers. */

import { env } from "cloudflare:workers";
import type { DnsRecord } from "../../dev/dns/server.ts";
import type { Failure, Order } from "./dns-control-server.ts";

/** Adds records. Names that were never published do not exist. */
export const publish = (records: DnsRecord[]): Promise<void> => tell({ publish: records });
/** Takes all records of a name away and publishes these, in one step. */
export const replace = (name: string, records: DnsRecord[]): Promise<void> => tell({ replace: name, records });
/** Takes all records of a name away. */
export const unpublish = (name: string): Promise<void> => tell({ unpublish: name });
/** Questions about a name, and about all below it, fail in this way. */
export const fail = (name: string, mode: Failure): Promise<void> => tell({ fail: name, mode });
/** Ends what `fail` began. */
export const heal = (name: string): Promise<void> => tell({ heal: name });
/** Questions about a name so far. */
export const queries = (name: string): Promise<number> => tell({ queries: name });

async function tell<T>(order: Order): Promise<T> {
  const response = await fetch(`http://127.0.0.1:${env.TEST_SERVERS.dnsControl}/`, {
    method: "POST",
    body: JSON.stringify(order),
  });
  if (!response.ok) throw new Error(`DNS control: ${response.status} ${await response.text()}`);
  return (await response.json()) as T;
}
