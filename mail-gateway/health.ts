import http from "node:http";

/** Starts the health endpoint: `GET /health` returns 200, or 503 when the Worker cannot be reached. */
export function startHealth(
  { port, host }: { port: number; host: string },
  status: () => Promise<{ isHealthy: boolean; connections: number }>,
): http.Server {
  const server = http.createServer(async (request, response) => {
    if (request.method !== "GET" || request.url !== "/health") return response.writeHead(404).end();
    const { isHealthy, connections } = await status();
    response.writeHead(isHealthy ? 200 : 503, { "Content-Type": "application/json" });
    response.end(`${JSON.stringify({ status: isHealthy ? "ok" : "worker_unreachable", connections })}\n`);
  });
  return server.listen(port, host);
}
