/** A stand-in for Slack's incoming webhooks. The path says how it responds, and it records what it gets. */

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { readBody } from "../../dev/dns/server.ts";

/**
 * Starts the server. `POST /services/<status>/<id>` is recorded and gets that status, `hang` never; 301 points to
 * `/canary/<id>`. `GET /<path>` returns what was posted to `/<path>` as JSON.
 */
export async function startSlack() {
  const posts = new Map<string, unknown[]>();
  const server = createServer((request, response) => {
    const path = request.url ?? "";
    if (request.method === "GET") return void response.end(JSON.stringify(posts.get(path) ?? []));
    readBody(request).then(
      (body) => {
        posts.set(path, [...(posts.get(path) ?? []), { type: request.headers["content-type"], body: body.toString() }]);
        const [, , result = "200", id] = path.split("/");
        if (result === "hang") return;
        response.writeHead(Number(result), result === "301" ? { Location: `/canary/${id}` } : {}).end("ok");
      },
      (error) => response.writeHead(500).end(String(error)),
    );
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  return {
    ports: { slack: (server.address() as AddressInfo).port },
    async stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}
