/** The DNS server of the tests, and the HTTP door on loopback by which tests in workerd say what it answers. */

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type Found, inZone, REFUSED, resolve, SERVFAIL } from "../../dev/dns/resolve.ts";
import { bodyOf, type DnsRecord, startDns } from "../../dev/dns/server.ts";

/** Ways in which DNS fails, as dns-control.ts names them. */
export type Failure = "servfail" | "refused" | "timeout" | "truncated" | "garbage" | "http-error";

/** What a test can tell the DNS server. */
export type Order =
  | { publish: DnsRecord[] }
  | { replace: string; records: DnsRecord[] }
  | { unpublish: string }
  | { fail: string; mode: Failure }
  | { heal: string }
  | { queries: string };

/** Starts a DNS server whose zones and failures tests rule. Returns ports by name, and what ends it all. */
export async function startDnsServers() {
  const house: House = { zone: new Map(), failures: new Map(), queries: new Map() };
  const dns = await startDns(0, (name, type) => {
    house.queries.set(name, (house.queries.get(name) ?? 0) + 1);
    return resolve((at) => find(house, at), name, type);
  });
  const control = createServer((request, response) => {
    bodyOf(request)
      .then((body) => response.end(JSON.stringify(obey(house, JSON.parse(body.toString()) as Order))))
      .catch((error) => response.writeHead(500).end(String(error)));
  });
  await new Promise<void>((listening) => control.listen(0, "127.0.0.1", listening));
  return {
    ports: { dns: dns.port, dnsControl: (control.address() as AddressInfo).port },
    async stop() {
      control.close();
      control.closeAllConnections();
      await dns.close();
    },
  };
}

/** All by name, in lower case. */
interface House {
  zone: Map<string, DnsRecord[]>;
  failures: Map<string, Failure>;
  queries: Map<string, number>;
}

function find({ zone, failures }: House, name: string): Found {
  const failure = [...failures].find(([place]) => name === place || name.endsWith(`.${place}`))?.[1];
  if (failure === "servfail") return SERVFAIL;
  if (failure === "refused") return REFUSED;
  return failure ?? inZone(zone, name);
}

function obey({ zone, failures, queries }: House, order: Order): unknown {
  if ("publish" in order) add(zone, order.publish);
  else if ("replace" in order) {
    zone.delete(order.replace.toLowerCase());
    add(zone, order.records);
  } else if ("unpublish" in order) zone.delete(order.unpublish.toLowerCase());
  else if ("fail" in order) failures.set(order.fail.toLowerCase(), order.mode);
  else if ("heal" in order) failures.delete(order.heal.toLowerCase());
  else return queries.get(order.queries.toLowerCase()) ?? 0;
  return null;
}

function add(zone: House["zone"], records: DnsRecord[]) {
  for (const record of records) {
    const name = record.name.toLowerCase();
    zone.set(name, [...(zone.get(name) ?? []), record]);
  }
}
