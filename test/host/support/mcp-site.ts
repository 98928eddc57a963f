/** A host behind a proxy that adds an API key to MCP requests, for test suites that send no credentials. */
import { randomBytes } from "node:crypto";
import { createServer, request as forward } from "node:http";
import type { AddressInfo } from "node:net";
import { startHost } from "../../../bench/host/in-process.ts";
import { seedWorkspace } from "../../../dev/seed-workspace.ts";
import { createContext } from "../../../src/platform/context.ts";

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
  const variables = { MASTER_KEYS: `1:${randomBytes(32).toString("base64")}`, PUBLIC_URL: url };
  const host = await startHost("src/index.ts", variables);
  const ctx = createContext({ ...host.env, ...variables } as Env, "test");
  const workspace = await seedWorkspace(ctx, {
    name: "Example Shop",
    email: "ada@example.test",
    domain: "example.test",
    mailboxLocalPart: "hello",
  });
  target = { url: host.url, apiKey: workspace.apiKey };
  return {
    url,
    masterKeys: variables.MASTER_KEYS,
    ctx,
    workspace,
    async stop(): Promise<void> {
      proxy.closeAllConnections();
      proxy.close();
      await host.stop();
    },
  };
}
