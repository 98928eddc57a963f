/**
 * A receiver of webhooks on loopback. A URL says how it responds: `/<name>/500,hang,200` responds to the first request with 500,
 * leaves the second without a response and responds to all further ones with 200; `after-13` responds with 200 after 13 seconds,
 * `held` with 200 when `/<name>/release` has been fetched.
 * The canary is a second port that nothing may connect to.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import { gzipSync } from "node:zlib";
import { readBody } from "../../dev/dns/server.ts";

/** A request that the receiver got. */
export interface ReceivedRequest {
  headers: Record<string, string>;
  body: string;
  /** Milliseconds since 1970. */
  at: number;
  /** When the sender closed the connection, in milliseconds since 1970. Null: it is open, or was closed after the response. */
  closedAt: number | null;
}

/** Starts the receiver. Returns its ports by name and a function that stops it. */
export async function startWebhookReceiver() {
  const received = new Map<string, ReceivedRequest[]>();
  const gates = new Map<string, PromiseWithResolvers<void>>();
  const server = createServer((request, response) => {
    handle(received, gates, request, response).catch((error) => response.destroy(error as Error));
  });
  let touches = 0;
  const canary = createTcpServer((socket) => {
    touches += 1;
    socket.destroy();
  });
  server.on("request", (request, response) => {
    if (request.url === "/canary-touches") response.end(String(touches));
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  await new Promise<void>((listening) => canary.listen(0, "127.0.0.1", listening));
  return {
    ports: { receiver: (server.address() as AddressInfo).port, canary: (canary.address() as AddressInfo).port },
    async stop() {
      server.close();
      server.closeAllConnections();
      canary.close();
    },
  };
}

async function handle(
  received: Map<string, ReceivedRequest[]>,
  gates: Map<string, PromiseWithResolvers<void>>,
  request: IncomingMessage,
  response: ServerResponse,
) {
  const [, name = "", behaviours = ""] = (request.url ?? "").split("/");
  if (name === "canary-touches") return;
  const gate = gates.get(name) ?? Promise.withResolvers<void>();
  gates.set(name, gate);
  if (behaviours === "release") gate.resolve();
  if (request.method === "GET") return void response.end(JSON.stringify(received.get(name) ?? []));
  const requests = received.get(name) ?? [];
  received.set(name, requests);
  const entry: ReceivedRequest = {
    headers: Object.fromEntries(Object.entries(request.headers).map(([key, value]) => [key, String(value)])),
    body: (await readBody(request)).toString(),
    at: Date.now(),
    closedAt: null,
  };
  requests.push(entry);
  response.on("close", () => {
    if (!response.writableFinished) entry.closedAt = Date.now();
  });
  const list = behaviours.split(",");
  const behaviour = list[Math.min(requests.length, list.length) - 1] ?? "200";
  if (behaviour === "held") return void gate.promise.then(() => response.end("released"));
  respond(behaviour, name, response);
}

const BOMB = gzipSync(Buffer.alloc(200 * 1024 * 1024));

function respond(behaviour: string, name: string, response: ServerResponse): void {
  if (behaviour === "hang") return;
  if (behaviour === "reset") return void response.socket?.resetAndDestroy();
  if (behaviour === "drip") {
    response.writeHead(200);
    const timer = setInterval(() => response.write("."), 500);
    response.on("close", () => clearInterval(timer));
    return;
  }
  if (behaviour === "bomb") {
    response.writeHead(200, { "Content-Encoding": "gzip" });
    return void response.end(BOMB);
  }
  if (behaviour === "large") return void response.end("x".repeat(10_000_000));
  if (behaviour === "301") {
    const port = response.socket?.localPort;
    return void response.writeHead(301, { Location: `http://127.0.0.1:${port}/${name}-redirected/200` }).end();
  }
  const [, seconds] = /^after-(\d+)$/.exec(behaviour) ?? [];
  if (seconds !== undefined) {
    const timer = setTimeout(() => response.end("late"), Number(seconds) * 1000);
    return void response.on("close", () => clearTimeout(timer));
  }
  response.writeHead(Number(behaviour), { "Content-Type": "text/plain" });
  response.end(behaviour === "204" ? undefined : `response ${behaviour}`);
}
