import { once } from "node:events";
import http from "node:http";

interface HealthOptions {
  port: number;
  host: string;
  isHealthy(): Promise<boolean>;
  metrics(): string;
}

/** Starts an HTTP server: `GET /health` returns 200, or 503 when the Worker cannot be reached; `GET /metrics` returns metrics. */
export async function startHealth({ port, host, isHealthy, metrics }: HealthOptions): Promise<http.Server> {
  const server = http.createServer(async (request, response) => {
    if (request.method === "GET" && request.url === "/metrics") {
      response.writeHead(200, { "Content-Type": "text/plain; version=0.0.4; charset=utf-8" }).end(metrics());
    } else if (request.method === "GET" && request.url === "/health") {
      const isOk = await isHealthy();
      response.writeHead(isOk ? 200 : 503, { "Content-Type": "application/json" });
      response.end(`${JSON.stringify({ status: isOk ? "ok" : "worker_unreachable" })}\n`);
    } else response.writeHead(404).end();
  });
  server.listen(port, host);
  await once(server, "listening");
  return server;
}
