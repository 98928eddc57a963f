import { once } from "node:events";
import http from "node:http";
import { isLocalHost } from "../host-header.ts";
import { HOST } from "../layout.ts";
import type { MailStore } from "./mail-store.ts";
import { capturedMailApp } from "./routes.ts";

/** Serves the captured mail as pages and as JSON. */
export async function startCapturedMail(port: number, store: MailStore): Promise<{ close(): Promise<void> }> {
  const app = capturedMailApp(store);
  const server = http.createServer((incoming, outgoing) => {
    if (!isLocalHost(incoming.headers.host)) return void outgoing.writeHead(421).end();
    const request = new Request(`http://${HOST}:${port}${incoming.url}`, { method: incoming.method ?? "GET" });
    Promise.resolve(app.fetch(request))
      .then(async (response) => {
        outgoing.writeHead(response.status, Object.fromEntries(response.headers));
        outgoing.end(Buffer.from(await response.arrayBuffer()));
      })
      .catch(() => outgoing.writeHead(500).end());
  });
  server.listen(port, HOST);
  await once(server, "listening");
  return {
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
