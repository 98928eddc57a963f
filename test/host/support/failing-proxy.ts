/** A proxy before the Worker that returns 500 to each request whose body contains a text. */
import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";

export async function startFailingProxy(target: string, text: string): Promise<{ url: string; stop(): void }> {
  const server = http.createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    if (body.includes(text)) return void response.writeHead(500).end();
    const { host: _, connection: __, ...headers } = request.headers;
    const result = await fetch(`${target}${request.url}`, {
      method: request.method ?? "POST",
      headers: headers as Record<string, string>,
      ...(request.method === "GET" ? {} : { body }),
    });
    response.writeHead(result.status).end(Buffer.from(await result.arrayBuffer()));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}
