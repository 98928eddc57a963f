/** A host behind a proxy that adds an API key to MCP requests, for test suites that send no credentials. */
import { createServer, request as forward } from "node:http";
import type { AddressInfo } from "node:net";
import { startService } from "./shared-service.ts";

export async function startMcpSite() {
  let target = { url: "", apiKey: "" };
  const proxy = createServer((request, response) => {
    const isMcp = request.url?.startsWith("/mcp") && request.headers.authorization === undefined;
    const headers = isMcp ? { ...request.headers, authorization: `Bearer ${target.apiKey}` } : request.headers;
    const upstream = forward(`${target.url}${request.url}`, { method: request.method, headers }, (result) => {
      response.writeHead(result.statusCode ?? 502, result.headers);
      result.pipe(response);
    });
    upstream.on("error", () => response.destroy());
    request.pipe(upstream);
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const { host, ctx, addWorkspace, stop } = await startService({ PUBLIC_URL: url });
  const workspace = await addWorkspace("mcp.test");
  target = { url: host.url, apiKey: workspace.apiKey };
  return {
    url,
    ctx,
    workspace,
    async stop(): Promise<void> {
      proxy.closeAllConnections();
      proxy.close();
      await stop();
    },
  };
}
