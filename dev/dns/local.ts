import type { IncomingMessage, ServerResponse } from "node:http";
import { HOSTNAME_PATH, hostnameHandler } from "../custom-hostnames/server.ts";
import { HOSTNAME_TARGET } from "../custom-hostnames/target.ts";
import type { DnsApi } from "../dns-api/api.ts";
import { serveDnsApi } from "../dns-api/serve.ts";
import { HOST } from "../layout.ts";
import type { ListDomains } from "./list-domains.ts";
import { Overrides } from "./overrides.ts";
import type { DnsRecord } from "./record.ts";
import { resolve } from "./resolve.ts";
import { dnsApp } from "./routes.ts";
import { readBody, startDns } from "./server.ts";
import { openZone } from "./zone.ts";

/**
 * Starts the local DNS server, with the DNS page, the JSON endpoints that override records and a stand-in for the API of custom
 * hostnames. With a stand-in of the DNS API it answers from its zones too, and serves that API. `published`: the records of the
 * service itself. Port 0 picks a free one.
 */
export function startLocalDns(
  port: number,
  listDomains: ListDomains,
  api?: DnsApi,
  published: readonly DnsRecord[] = [],
): Promise<{ port: number; close(): Promise<void> }> {
  const zone = openZone(listDomains);
  const overrides = new Overrides();
  const app = dnsApp(zone, overrides);
  const own = Map.groupBy(published, ({ name }) => name);
  const find = async (at: string) => api?.find(at) ?? own.get(at) ?? zone.find(at);
  const resolveQuestion = (name: string, type: string) =>
    resolve((owner) => overrides.find(owner, type, find), name, type);
  const hostnames = hostnameHandler(HOSTNAME_TARGET, async (name) => {
    const found = await resolveQuestion(name, "CNAME");
    return typeof found === "string" ? [] : found.answers.map(({ value }) => value);
  });
  return startDns(port, resolveQuestion, (incoming, outgoing) => {
    if (HOSTNAME_PATH.test(incoming.url ?? "")) return hostnames(incoming, outgoing);
    if (api && incoming.url?.startsWith("/client/v4/"))
      return void serveDnsApi(api, incoming, outgoing).catch(() => outgoing.destroy());
    serve(incoming, outgoing, (request) => app.fetch(request)).catch(() => outgoing.writeHead(500).end());
  });
}

async function serve(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  answer: (request: Request) => Response | Promise<Response>,
) {
  const method = incoming.method ?? "GET";
  const hasBody = method !== "GET" && method !== "HEAD";
  const body = hasBody ? { body: new Uint8Array(await readBody(incoming)) } : {};
  const headers = ["content-type", "sec-fetch-site"].flatMap((name): [string, string][] => {
    const value = incoming.headers[name];
    return typeof value === "string" ? [[name, value]] : [];
  });
  const response = await answer(new Request(`http://${HOST}${incoming.url}`, { method, headers, ...body }));
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  outgoing.end(Buffer.from(await response.arrayBuffer()));
}
