/** The DNS server of the tests, and the HTTP endpoint on loopback through which tests in workerd control it. */

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type Found, inZone, REFUSED, resolve, SERVFAIL } from "../../dev/dns/resolve.ts";
import { type DnsRecord, readBody, startDns } from "../../dev/dns/server.ts";

/** The failures that a test can set (dns-control.ts). */
export type Failure = "servfail" | "refused" | "timeout" | "truncated" | "garbage" | "http-error";

/** A command of a test to the DNS server. */
export type Command =
  | { publish: DnsRecord[] }
  | { replace: string; records: DnsRecord[] }
  | { unpublish: string }
  | { fail: string; mode: Failure }
  | { heal: string }
  | { queries: string };

/** Starts a DNS server whose records and failures tests control. Returns its ports by name and a function that stops it. */
export async function startDnsServers() {
  const state: ServerState = { zone: new Map(), failures: new Map(), queries: new Map() };
  const dns = await startDns(0, (name, type) => {
    state.queries.set(name, (state.queries.get(name) ?? 0) + 1);
    return resolve((at) => find(state, at), name, type);
  });
  const control = createServer((request, response) => {
    readBody(request)
      .then((body) => response.end(JSON.stringify(execute(state, JSON.parse(body.toString()) as Command))))
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

/** Maps by domain name in lower case. */
interface ServerState {
  zone: Map<string, DnsRecord[]>;
  failures: Map<string, Failure>;
  queries: Map<string, number>;
}

function find({ zone, failures }: ServerState, name: string): Found {
  const failure = [...failures].find(([place]) => name === place || name.endsWith(`.${place}`))?.[1];
  if (failure === "servfail") return SERVFAIL;
  if (failure === "refused") return REFUSED;
  return failure ?? inZone(zone, name);
}

function execute({ zone, failures, queries }: ServerState, command: Command): unknown {
  if ("publish" in command) add(zone, command.publish);
  else if ("replace" in command) {
    zone.delete(command.replace.toLowerCase());
    add(zone, command.records);
  } else if ("unpublish" in command) zone.delete(command.unpublish.toLowerCase());
  else if ("fail" in command) failures.set(command.fail.toLowerCase(), command.mode);
  else if ("heal" in command) failures.delete(command.heal.toLowerCase());
  else return queries.get(command.queries.toLowerCase()) ?? 0;
  return null;
}

function add(zone: ServerState["zone"], records: DnsRecord[]) {
  for (const record of records) {
    const name = record.name.toLowerCase();
    zone.set(name, [...(zone.get(name) ?? []), record]);
  }
}
