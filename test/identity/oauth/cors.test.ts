import { describe, expect, it } from "vitest";
import { apiWith } from "../../support/workspace.ts";

const api = apiWith(null);
const Origin = "https://client.example";
const open: Record<string, "GET" | "POST"> = {
  "/.well-known/oauth-authorization-server": "GET",
  "/.well-known/oauth-protected-resource": "GET",
  "/.well-known/oauth-protected-resource/mcp": "GET",
  "/oauth/register": "POST",
  "/oauth/token": "POST",
  "/oauth/revoke": "POST",
};
const preflight = (path: string, method: string) =>
  api.call("OPTIONS", path, undefined, {
    Origin,
    "Access-Control-Request-Method": method,
    "Access-Control-Request-Headers": "content-type,mcp-protocol-version",
  });
const corsHeaders = (response: Response) =>
  [...response.headers.keys()].filter((name) => name.startsWith("access-control-"));

/** `/mcp` is open too: test/web/mcp. */
describe("endpoints for OAuth clients in browsers", () => {
  for (const [path, method] of Object.entries(open)) {
    it(`${method} ${path} may be called from any origin, without cookies, also when it returns an error`, async () => {
      const allowed = await preflight(path, method);
      expect(allowed.status).toBe(204);
      expect(Object.fromEntries(allowed.headers)).toMatchObject({
        "access-control-allow-origin": "*",
        "access-control-allow-methods": method,
        "access-control-allow-headers": "Content-Type, MCP-Protocol-Version",
      });
      expect(allowed.headers.has("Access-Control-Allow-Credentials")).toBe(false);
      const response = await api.call(method, path, undefined, { Origin });
      expect(response.status).toBe(method === "GET" ? 200 : 400);
      expect(corsHeaders(response)).toEqual(["access-control-allow-origin"]);
      expect((await api.call("OPTIONS", path)).status).toBe(405);
    });
  }

  it("are the only ones: pages of other origins cannot read the authorization endpoint, the API or pages", async () => {
    for (const [path, method] of [
      ["/oauth/authorize", "GET"],
      ["/v1/me", "GET"],
      ["/v1/emails/", "POST"],
      ["/auth/refresh", "POST"],
      ["/app", "GET"],
    ] as const) {
      expect(corsHeaders(await preflight(path, method)), path).toEqual([]);
      expect(corsHeaders(await api.call(method, path, undefined, { Origin })), path).toEqual([]);
    }
  });
});
