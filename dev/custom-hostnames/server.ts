import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { readBody } from "../dns/server.ts";
import { isLocalHost } from "../host-header.ts";
import { type FindCname, HostnameStore, type StoredHostname } from "./store.ts";

export interface HostnameServer {
  port: number;
  close(): Promise<void>;
}

/** Paths of the API that the stand-in serves. */
export const HOSTNAME_PATH = /^\/client\/v4\/zones\/([^/]+)\/custom_hostnames(?:\/([^/?]+))?(?:\?|$)/;

/**
 * Returns the handler of a stand-in for Cloudflare's API of custom hostnames, in memory. A hostname becomes active when its CNAME
 * leads to `target`, its certificate one call later, and it is `moved` when the CNAME goes. First letters of a label change that:
 * `taken-` belongs to another account, `blocked-` is blocked, `expired-` gets no certificate before it is restarted. A token that
 * begins with `fail-` makes calls fail: `fail-503`, `fail-429`, `fail-403`, `fail-hang`, `fail-lost` (does it, and sends no response).
 */
export function hostnameHandler(target: string, findCname: FindCname) {
  const store = new HostnameStore(target, findCname);
  return (request: IncomingMessage, response: ServerResponse): void => {
    respond(store, request, response).catch(() => response.writeHead(500).end());
  };
}

/** Starts the stand-in on loopback. Port 0 picks a free one. */
export async function startCustomHostnames(
  port: number,
  target: string,
  findCname: FindCname,
): Promise<HostnameServer> {
  const handler = hostnameHandler(target, findCname);
  const server = createServer((request, response) =>
    isLocalHost(request.headers.host) ? handler(request, response) : void response.writeHead(421).end(),
  );
  await new Promise<void>((done, reject) => server.once("error", reject).listen(port, "127.0.0.1", done));
  return {
    port: (server.address() as AddressInfo).port,
    close() {
      server.closeAllConnections();
      return new Promise((done) => server.close(() => done()));
    },
  };
}

type Reply = { status: number; body: unknown };

async function respond(store: HostnameStore, request: IncomingMessage, response: ServerResponse) {
  const failure = /^Bearer fail-(\w+)/.exec(request.headers.authorization ?? "")?.[1];
  const isDone = failure === undefined || failure === "lost";
  const reply = isDone
    ? await handle(store, request)
    : refusal(Number(failure) || 503, 10_000, "the stand-in was told to fail");
  if (failure === "hang") return;
  if (failure === "lost" && request.method !== "GET") return void response.destroy();
  response.writeHead(reply.status, { "Content-Type": "application/json" }).end(JSON.stringify(reply.body));
}

async function handle(store: HostnameStore, request: IncomingMessage): Promise<Reply> {
  const url = new URL(request.url ?? "/", "http://localhost");
  const [, zone = "", id] = HOSTNAME_PATH.exec(url.pathname) ?? [];
  if (zone === "") return refusal(404, 7003, "Could not route to the path");
  const found = id === undefined ? null : store.read(zone, id);
  if (id !== undefined)
    return found
      ? handleOne(store, zone, found, request.method)
      : refusal(404, 1436, "The custom hostname was not found.");
  switch (`${request.method} all`) {
    case "GET all": {
      const listed = store.list(zone, url.searchParams.get("hostname") ?? "");
      return success(await Promise.all(listed.map(async (one) => toResult(await store.look(one)))));
    }
    case "POST all": {
      const body = JSON.parse((await readBody(request)).toString()) as { hostname: string };
      const created = store.create(zone, body.hostname);
      return created ? success(toResult(created), 201) : refusal(409, 1406, "Duplicate custom hostname found.");
    }
    default:
      return refusal(405, 7001, "Method not allowed");
  }
}

async function handleOne(store: HostnameStore, zone: string, one: StoredHostname, method = ""): Promise<Reply> {
  if (method === "GET") return success(toResult(await store.look(one)));
  if (method === "PATCH") return success(toResult(store.restart(one)));
  if (method !== "DELETE") return refusal(405, 7001, "Method not allowed");
  store.remove(zone, one);
  return { status: 200, body: { id: one.id } };
}

const toResult = ({ id, hostname, status, certificate }: StoredHostname) => ({
  id,
  hostname,
  status,
  ssl: { status: certificate, method: "http", type: "dv" },
});

const success = (result: unknown, status = 200): Reply => ({
  status,
  body: { success: true, errors: [], messages: [], result },
});

const refusal = (status: number, code: number, message: string): Reply => ({
  status,
  body: { success: false, errors: [{ code, message }], messages: [], result: null },
});
