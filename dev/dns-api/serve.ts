import type { IncomingMessage, ServerResponse } from "node:http";
import { readBody } from "../dns/server.ts";
import type { DnsApi } from "./api.ts";

/** Responds to a request with the stand-in of the DNS API; a lost response closes the connection, a slow one never comes. */
export async function serveDnsApi(api: DnsApi, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const method = incoming.method ?? "GET";
  const bytes = await readBody(incoming);
  const request = new Request(`http://127.0.0.1${incoming.url}`, {
    method,
    headers: { Authorization: incoming.headers.authorization ?? "" },
    ...(bytes.length > 0 ? { body: new Uint8Array(bytes) } : {}),
  });
  const response = await api.respond(request);
  if (response === null && api.failureOf(request) === "slow") return;
  if (response === null) return void incoming.socket.destroy();
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  outgoing.end(Buffer.from(await response.arrayBuffer()));
}
