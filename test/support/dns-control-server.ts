/** The DNS server of the tests, and the HTTP endpoint on loopback through which tests in workerd control it. */

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { DnsRecord } from "../../dev/dns/record.ts";
import { type Found, inZone, NXDOMAIN, REFUSED, resolve, SERVFAIL } from "../../dev/dns/resolve.ts";
import { readBody, startDns } from "../../dev/dns/server.ts";
import { type ApiFailure, DnsApi } from "../../dev/dns-api/api.ts";
import { LOCAL_TOKEN, LOCAL_ZONES } from "../../dev/dns-api/local.ts";
import { serveDnsApi } from "../../dev/dns-api/serve.ts";
import { TEST_ZONES } from "./test-zones.ts";

/** The failures that a test can set (dns-control.ts). */
export type Failure = "servfail" | "refused" | "timeout" | "truncated" | "garbage" | "http-error" | "nxdomain";

/** A command of a test to the DNS server. */
export type Command =
  | { publish: DnsRecord[] }
  | { replace: string; records: DnsRecord[] }
  | { unpublish: string }
  | { fail: string; mode: Failure }
  | { heal: string }
  | { queries: string }
  | { failApi: ApiFailure | null; zoneId: string }
  | { resize: string; maxRecords: number }
  | { recordsOf: string };

/** Starts a DNS server whose records and failures tests control. Returns its ports by name and a function that stops it. */
export async function startDnsServers() {
  const zones = [...LOCAL_ZONES, ...TEST_ZONES].map((zone) => ({ ...zone, records: [] }));
  const state: ServerState = {
    ...{ zone: new Map(), failures: new Map(), queries: new Map() },
    api: new DnsApi(zones, LOCAL_TOKEN),
  };
  const dns = await startDns(
    0,
    (name, type) => {
      state.queries.set(name, (state.queries.get(name) ?? 0) + 1);
      return resolve((at) => find(state, at), name, type);
    },
    (incoming, outgoing) => void serveDnsApi(state.api, incoming, outgoing).catch(() => outgoing.destroy()),
  );
  const control = createServer((request, response) => {
    readBody(request)
      .then((body) => response.end(JSON.stringify(execute(state, JSON.parse(body.toString()) as Command))))
      .catch((error) => response.writeHead(500).end(String(error)));
  });
  await new Promise<void>((listening) => control.listen(0, "127.0.0.1", listening));
  return {
    /** Returns the names that the CNAME records of a name lead to. */
    async findCname(name: string): Promise<string[]> {
      const found = await resolve((at) => find(state, at), name, "CNAME");
      return typeof found === "string" ? [] : found.answers.map(({ value }) => value);
    },
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
  /** The stand-in of the DNS API, at the port of DNS. */
  api: DnsApi;
}

function find({ zone, failures, api }: ServerState, name: string): Found {
  const failure = [...failures].find(([place]) => name === place || name.endsWith(`.${place}`))?.[1];
  if (failure === "servfail") return SERVFAIL;
  if (failure === "refused") return REFUSED;
  if (failure === "nxdomain") return NXDOMAIN;
  return failure ?? api.find(name) ?? inZone(zone, name);
}

function setFailure(api: DnsApi, zoneId: string, failure: ApiFailure | null): void {
  if (failure === null) api.failures.delete(zoneId);
  else api.failures.set(zoneId, failure);
}

function resize(api: DnsApi, zoneId: string, maxRecords: number): void {
  for (const zone of api.zones) if (zone.id === zoneId) zone.maxRecords = maxRecords;
}

function execute({ zone, failures, queries, api }: ServerState, command: Command): unknown {
  if ("publish" in command) add(zone, command.publish);
  else if ("replace" in command) {
    zone.delete(command.replace.toLowerCase());
    add(zone, command.records);
  } else if ("unpublish" in command) zone.delete(command.unpublish.toLowerCase());
  else if ("fail" in command) failures.set(command.fail.toLowerCase(), command.mode);
  else if ("heal" in command) failures.delete(command.heal.toLowerCase());
  else if ("failApi" in command) setFailure(api, command.zoneId, command.failApi);
  else if ("resize" in command) resize(api, command.resize, command.maxRecords);
  else if ("recordsOf" in command)
    return api.zones.flatMap(({ records }) => records.filter(({ name }) => name.includes(command.recordsOf)));
  else return queries.get(command.queries.toLowerCase()) ?? 0;
  return null;
}

function add(zone: ServerState["zone"], records: DnsRecord[]) {
  for (const record of records) {
    const name = record.name.toLowerCase();
    zone.set(name, [...(zone.get(name) ?? []), record]);
  }
}
