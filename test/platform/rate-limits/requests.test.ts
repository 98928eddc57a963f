import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { aKey, aMail, apiOn, aWorkspace, discardingQueue, perTest } from "../../support/workspace.ts";

/** The limits of one API key a minute, with bindings that allow 20 requests and 5 sends. */

const REQUESTS = 20;
const SENDS = 5;
const workspace = perTest(aWorkspace);

const limitedApi = (key: string) =>
  apiOn(
    {
      REQUEST_RATE_LIMIT: env.TEST_REQUEST_RATE_LIMIT,
      SEND_RATE_LIMIT: env.TEST_SEND_RATE_LIMIT,
      WORK: discardingQueue,
    },
    key,
  );
type Api = ReturnType<typeof limitedApi>;

/** Calls until the first 429 and returns it with the number of calls before it. The minute may change meanwhile. */
async function callUntilRefused(call: () => Promise<Response>, limit: number) {
  for (let allowed = 0; allowed <= 2 * limit; allowed++) {
    const refused = await call();
    if (refused.status === 429) return { refused, allowed };
  }
  throw new Error(`no 429 in ${2 * limit + 1} calls`);
}

const send = (api: Api) => api.post("/v1/emails/", aMail(workspace));

describe("beyond the requests of a minute", () => {
  it("an API key gets 429 with Retry-After and RateLimit-Policy, and other keys of the workspace do not", async () => {
    const api = limitedApi(workspace.apiKey);
    const { refused, allowed } = await callUntilRefused(() => api.get("/v1/me"), REQUESTS);
    expect(allowed).toBeGreaterThanOrEqual(REQUESTS);
    expect(refused.headers.get("Retry-After")).toBe("60");
    expect(refused.headers.get("RateLimit-Policy")).toBe('"requests";q=600;w=60');
    expect(refused.headers.get("X-Request-Id")).toMatch(/./);
    expect(await refused.json()).toEqual({ detail: expect.stringContaining("600 requests") });
    expect((await limitedApi(await aKey(workspace)).get("/v1/me")).status).toBe(200);
  });

  it("sends are counted apart, single and batch together", async () => {
    const api = limitedApi(workspace.apiKey);
    await callUntilRefused(() => api.get("/v1/me"), REQUESTS);
    expect((await send(api)).status).toBe(202);
    const other = limitedApi(await aKey(workspace));
    const batch = () => other.post("/v1/emails/batch", [aMail(workspace)]);
    let calls = 0;
    const { refused, allowed } = await callUntilRefused(() => (calls++ % 2 ? send(other) : batch()), SENDS);
    expect(allowed).toBeGreaterThanOrEqual(SENDS);
    expect(refused.headers.get("RateLimit-Policy")).toBe('"sends";q=6000;w=60');
    expect((await other.get("/v1/me")).status).toBe(200);
  });

  it("a workspace gets 429 whichever of its keys calls, and other workspaces do not", async () => {
    const bindings = { WORKSPACE_REQUEST_RATE_LIMIT: env.TEST_REQUEST_RATE_LIMIT };
    const apis = [apiOn(bindings, workspace.apiKey), apiOn(bindings, await aKey(workspace))];
    let calls = 0;
    const { refused, allowed } = await callUntilRefused(
      () => (apis[calls++ % 2] ?? expect.fail()).get("/v1/me"),
      REQUESTS,
    );
    expect(allowed).toBeGreaterThanOrEqual(REQUESTS);
    expect(refused.headers.get("RateLimit-Policy")).toBe('"workspace-requests";q=6000;w=60');
    expect(await refused.json()).toEqual({
      detail: "The limit is 6000 requests per workspace and minute; retry in 60 seconds",
    });
    expect((await apiOn(bindings, (await aWorkspace()).apiKey).get("/v1/me")).status).toBe(200);
  });

  it("401 and 403 come before 429, and 429 before 413, 415 and 422", async () => {
    const narrow = await aKey(workspace, { scopes: ["emails:send"] });
    const api = limitedApi(narrow);
    await callUntilRefused(() => send(api), SENDS);
    expect((await api.get("/v1/emails/")).status).toBe(403);
    expect(
      (await limitedApi(`${narrow.slice(0, -1)}${narrow.endsWith("x") ? "y" : "x"}`).post("/v1/emails/", {})).status,
    ).toBe(401);
    // Each of these is refused as 415 or 422 only while sends are left.
    await callUntilRefused(() => api.call("POST", "/v1/emails/", "{", { "Content-Type": "text/plain" }), SENDS);
    await callUntilRefused(() => api.post("/v1/emails/", {}), SENDS);
  });

  it("refused credentials and scopes use up nothing", async () => {
    const api = limitedApi(await aKey(workspace, { scopes: ["emails:send"] }));
    for (let count = 0; count < 2 * REQUESTS; count++) expect((await api.get("/v1/emails/")).status).toBe(403);
    expect((await api.get("/v1/me")).status).toBe(200);
  });
});

it("a binding that fails lets requests pass", async () => {
  const REQUEST_RATE_LIMIT = {
    limit: async () => {
      throw new Error("unavailable");
    },
  };
  expect((await apiOn({ REQUEST_RATE_LIMIT }, workspace.apiKey).get("/v1/me")).status).toBe(200);
});

it("every authenticated operation of the OpenAPI document has a 429 with its headers", async () => {
  type Operation = { responses: Record<string, { headers?: Record<string, unknown> }> };
  const { paths } = await (await workspace.get("/openapi.json")).json<{ paths: Record<string, object> }>();
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, { responses }] of Object.entries(methods) as [string, Operation][]) {
      const headers = Object.keys(responses[429]?.headers ?? {});
      expect(headers, `${method} ${path}`).toEqual(["Retry-After", "RateLimit-Policy", "X-Request-Id"]);
    }
  }
});
