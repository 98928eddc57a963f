import { describe, expect, it } from "vitest";
import { aMail, apiOn, apiWith, aWorkspace, perSuite } from "../support/workspace.ts";

const workspace = perSuite(aWorkspace);

const anonymous = apiWith(null);

describe("security headers", () => {
  it("no-store and nosniff are on every response, whatever its status", async () => {
    const responses = await Promise.all([
      workspace.get("/v1/me"),
      workspace.get("/v1/emails/"),
      anonymous.get("/v1/me"),
      anonymous.get("/nothing"),
      anonymous.get("/v1/emails"),
      workspace.call("DELETE", "/v1/emails/"),
      workspace.post("/v1/emails/", "{"),
      anonymous.get("/openapi.json"),
      anonymous.get("/health"),
      anonymous.get("/t/c/nonsense"),
      workspace.call("HEAD", "/v1/me"),
    ]);
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 401, 404, 307, 405, 422, 200, 200, 404, 200]);
    for (const { headers, status } of responses) {
      expect(headers.get("Cache-Control"), String(status)).toBe("no-store");
      expect(headers.get("X-Content-Type-Options"), String(status)).toBe("nosniff");
    }
  });

  it("HSTS is sent exactly when PUBLIC_URL is https", async () => {
    for (const path of ["/health", "/v1/me", "/nothing"]) {
      const secure = await apiOn({ PUBLIC_URL: "https://mail.example" }, null).get(path);
      expect(secure.headers.get("Strict-Transport-Security"), path).toMatch(/^max-age=\d{8}$/);
      const plain = await apiOn({ PUBLIC_URL: "http://mail.example" }, null).get(path);
      expect(plain.headers.get("Strict-Transport-Security"), path).toBeNull();
    }
  });

  it("resource_metadata of a 401 is built from PUBLIC_URL, not from the Host header", async () => {
    const api = apiOn({ PUBLIC_URL: "https://mail.example/base/" }, null);
    const response = await api.get("/v1/me", { Host: "evil.example" });
    expect(response.status).toBe(401);
    expect(response.headers.get("WWW-Authenticate")).toBe(
      'Bearer resource_metadata="https://mail.example/base/.well-known/oauth-protected-resource"',
    );
  });
});

describe("error texts", () => {
  it("a 401 names the header and the form that is expected", async () => {
    const missing = await anonymous.get("/v1/me");
    expect(await missing.json()).toEqual({
      detail: "The Authorization header is missing; send Authorization: Bearer <API key>",
    });
    const invalid = await anonymous.get("/v1/me", { Authorization: "Basic abc" });
    expect(await invalid.json()).toEqual({
      detail: "The Authorization header is invalid; send Authorization: Bearer <API key>",
    });
  });

  it("a 415 names the header, its value and the expected media type", async () => {
    const typed = await workspace.post("/v1/emails/validate", "{}", { "Content-Type": "text/plain" });
    expect(await typed.json()).toEqual({ detail: "Content-Type is text/plain; the body must be application/json" });
    const untyped = await apiOn({}, workspace.apiKey).call("POST", "/v1/emails/");
    expect(await untyped.json()).toEqual({
      detail: "The Content-Type header is missing; the body must be application/json",
    });
  });

  it("a 422 for an unknown scope lists the scopes", async () => {
    const response = await workspace.post("/v1/api-keys/", { name: "x", scopes: ["emails:read"] });
    expect(response.status).toBe(422);
    const { detail } = await response.json<{ detail: { loc: unknown[]; msg: string }[] }>();
    expect(detail).toHaveLength(1);
    expect(detail[0]?.msg).toContain("emails:send");
    expect(detail[0]?.msg).toContain("team:manage");
  });
});

describe("a compressed body", () => {
  it("is 415 with every Content-Encoding but identity, on every route that reads a body", async () => {
    const routes = ["/v1/emails/", "/v1/emails/batch", "/v1/emails/validate", "/v1/domains/"];
    for (const path of routes) {
      for (const encoding of ["gzip", "GZIP", "br", "deflate", "zstd", "gzip, identity", "x-unknown"]) {
        const response = await workspace.post(path, "{}", { "Content-Encoding": encoding });
        expect(response.status, `${path} ${encoding}`).toBe(415);
        expect((await response.json<{ detail: string }>()).detail).toContain("Content-Encoding");
      }
    }
    const plain = await workspace.post("/v1/emails/validate", aMail(workspace), { "Content-Encoding": "identity" });
    expect(plain.status).toBe(200);
  });
});

describe("a known path with a wrong method", () => {
  const cases: [string, string, string][] = [
    ["GET", "/v1/emails/batch", "POST"],
    ["GET", "/v1/emails/validate", "POST"],
    ["HEAD", "/v1/emails/batch", "POST"],
    ["GET", "/v1/emails/scheduled/some-id", "PATCH, DELETE"],
    ["PUT", "/v1/emails/scheduled", "HEAD, GET"],
    ["GET", "/v1/emails/some-id/retry", "POST"],
    ["GET", "/v1/emails/scheduled/some-id/send-now", "POST"],
    ["DELETE", "/v1/emails/updates", "HEAD, GET"],
  ];
  for (const [method, path, allow] of cases) {
    it(`${method} ${path} is 405 with Allow: ${allow}, with and without credentials`, async () => {
      for (const api of [workspace, anonymous]) {
        const response = await api.call(method, path);
        expect(response.status).toBe(405);
        expect(response.headers.get("Allow")).toBe(allow);
      }
    });
  }

  it("an id that is not a path of its own is still 404", async () => {
    expect(await (await workspace.get("/v1/emails/batches")).json()).toEqual({ detail: "Email not found" });
  });
});

describe("numbers in the query", () => {
  it("are decimal digits only", async () => {
    const lists = ["/v1/emails/", "/v1/mailboxes/", "/v1/api-keys/"];
    for (const path of lists) {
      for (const value of ["0x5", "1e1", " 5", "5 ", "+5", "5.0", "5.5", "", "five", "٥", "-1", "0", "1".repeat(40)]) {
        const response = await workspace.get(`${path}?limit=${encodeURIComponent(value)}`);
        expect(response.status, `${path} ${value}`).toBe(422);
      }
      expect((await workspace.get(`${path}?limit=5`)).status).toBe(200);
      expect((await workspace.get(`${path}?limit=5&page=0`)).status).toBe(200);
      expect((await workspace.get(`${path}?page=0x0`)).status).toBe(422);
      expect((await workspace.get(`${path}?page=-1`)).status).toBe(422);
    }
  });
});

describe("an Idempotency-Key", () => {
  it("used with and without X-Batch-Mode is a 409; letter case of the mode does not matter", async () => {
    const send = (key: string, mode: Record<string, string>) =>
      workspace.post("/v1/emails/batch", [aMail(workspace)], { "Idempotency-Key": key, ...mode });
    expect((await send("a", {})).status).toBe(202);
    expect((await send("a", { "X-Batch-Mode": "strict" })).status).toBe(409);
    const strict = await send("b", { "X-Batch-Mode": "strict" });
    const again = await send("b", { "X-Batch-Mode": "STRICT" });
    expect([strict.status, again.status]).toEqual([202, 202]);
    expect(again.headers.get("Idempotency-Replayed")).toBe("true");
    expect(await again.text()).toBe(await strict.text());
    expect((await send("b", {})).status).toBe(409);
  });
});
