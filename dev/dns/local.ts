import type { IncomingMessage, ServerResponse } from "node:http";
import { HOST } from "../layout.ts";
import { Overrides } from "./overrides.ts";
import type { ListDomains } from "./published.ts";
import { resolve } from "./resolve.ts";
import { dnsApp } from "./routes.ts";
import { bodyOf, startDns } from "./server.ts";
import { openZone } from "./zone.ts";

/** Starts the DNS of the local service: its zone, with a page for people and a JSON API to override what is in it. */
export function startLocalDns(
  port: number,
  listDomains: ListDomains,
): Promise<{ port: number; close(): Promise<void> }> {
  const zone = openZone(listDomains);
  const overrides = new Overrides();
  const app = dnsApp(zone, overrides);
  const lookUp = (name: string, type: string) =>
    resolve((at) => overrides.find(at, type, (name) => zone.find(name)), name, type);
  return startDns(port, lookUp, (incoming, outgoing) => {
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
  const body = hasBody ? { body: new Uint8Array(await bodyOf(incoming)) } : {};
  const response = await answer(new Request(`http://${HOST}${incoming.url}`, { method, ...body }));
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  outgoing.end(Buffer.from(await response.arrayBuffer()));
}
