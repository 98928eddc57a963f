import { describe, expect, it } from "vitest";
import { getClient } from "../../../src/identity/oauth/clients.ts";
import { formActionOf, isRegistered, redirectUriIssue } from "../../../src/identity/oauth/rules.ts";
import { database } from "../../support/databases.ts";
import { expectSince } from "../../support/expect-since.ts";
import { aClient, ISSUER, REDIRECT_URI, workerFetch } from "../../support/oauth.ts";
import { testContext } from "../../support/workspace.ts";

let addresses = 0;

/** Registers a client from an address that no other call uses, unless `headers` names one. */
function register(body: unknown, headers: Record<string, string> = {}) {
  addresses += 1;
  return workerFetch(`${ISSUER}/oauth/register`, {
    method: "POST",
    body: typeof body === "string" ? body : JSON.stringify(body),
    headers: { "Content-Type": "application/json", "CF-Connecting-IP": `203.0.113.${addresses}`, ...headers },
  });
}

const metadata = { redirect_uris: [REDIRECT_URI], client_name: "An assistant" };

describe("POST /oauth/register", () => {
  it("returns the registered metadata, always as a public client", async () => {
    const start = Date.now();
    const response = await register({
      ...metadata,
      token_endpoint_auth_method: "client_secret_post",
      grant_types: ["authorization_code", "client_credentials"],
      scope: "everything",
      unknown: true,
    });
    expect([response.status, response.headers.get("Cache-Control")]).toEqual([201, "no-store"]);
    const { client_id: id, client_id_issued_at: issuedAt, ...result } = await response.json<Record<string, unknown>>();
    expect(result).toEqual({
      redirect_uris: [REDIRECT_URI],
      client_name: "An assistant",
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
    });
    // In whole seconds.
    expectSince(start - (start % 1_000), Number(issuedAt) * 1_000);
    expect((await getClient(testContext(), String(id))).redirectUris).toEqual([REDIRECT_URI]);
  });

  it("returns every invalid request as RFC 7591 3.2.2 says", async () => {
    const requests: [unknown, string][] = [
      [{}, "invalid_redirect_uri"],
      [{ redirect_uris: [] }, "invalid_redirect_uri"],
      [{ redirect_uris: REDIRECT_URI }, "invalid_redirect_uri"],
      [{ redirect_uris: ["javascript:alert(1)"] }, "invalid_redirect_uri"],
      [{ redirect_uris: Array.from({ length: 11 }, (_, n) => `${REDIRECT_URI}/${n}`) }, "invalid_redirect_uri"],
      [{ ...metadata, client_name: "" }, "invalid_client_metadata"],
      [{ ...metadata, client_name: "x".repeat(101) }, "invalid_client_metadata"],
      [{ ...metadata, client_name: "A\r\nB" }, "invalid_client_metadata"],
      [{ ...metadata, client_name: "Ban\u202eknaB" }, "invalid_client_metadata"],
      [{ ...metadata, client_name: "a\u0000b" }, "invalid_client_metadata"],
      [{ ...metadata, client_uri: "javascript:alert(1)" }, "invalid_client_metadata"],
      [{ ...metadata, grant_types: ["implicit"] }, "invalid_client_metadata"],
      [{ ...metadata, response_types: ["token"] }, "invalid_client_metadata"],
      ["not json", "invalid_client_metadata"],
      [[], "invalid_client_metadata"],
      [{ ...metadata, padding: "x".repeat(20_000) }, "invalid_client_metadata"],
    ];
    for (const [body, error] of requests) {
      const response = await register(body);
      const result = await response.json<{ error: string; error_description: string }>();
      expect([response.status, result.error], JSON.stringify(body).slice(0, 200)).toEqual([400, error]);
      expect(result.error_description).not.toBe("");
    }
    const type = { "Content-Type": "text/plain" };
    expect((await register(metadata, type)).status).toBe(400);
  });

  it("accepts 20 clients an hour from one address, counted exactly", async () => {
    const from = (ip: string) => register(metadata, { "CF-Connecting-IP": ip });
    const responses = await Promise.all(Array.from({ length: 25 }, (_, n) => from(`2001:db8:1:2::${n}`)));
    expect(responses.filter(({ status }) => status === 201)).toHaveLength(20);
    const refused = responses.find(({ status }) => status === 429);
    expect(refused?.headers.get("RateLimit-Policy")).toBe('"client-registrations";q=20;w=3600');
    expect(Number(refused?.headers.get("Retry-After"))).toBeGreaterThan(3_500);
    expect((await from("2001:db8:1:3::1")).status).toBe(201);
  });
});

describe("a client", () => {
  it("is unknown after 24 hours without a grant, and known for good with one", async () => {
    const created = Date.now() - 24 * 3_600_000;
    const client = await aClient(
      undefined,
      testContext({}, () => created),
    );
    await expect(getClient(testContext(), client.id)).rejects.toThrow("No client has this client_id");
    await database.run("UPDATE oauth_clients SET used_at = created_at WHERE id = ?1", [client.id]);
    expect((await getClient(testContext(), client.id)).id).toBe(client.id);
  });
});

describe("redirect URIs", () => {
  it("are https, http to a loopback host, or of an app", () => {
    const allowed = [
      "https://client.example/callback",
      "https://client.example:8443/callback?tenant=1",
      "http://127.0.0.1/callback",
      "http://127.0.0.1:33418/",
      "http://[::1]:8080/callback",
      "http://localhost:3000/callback",
      "http://localhost",
      "com.example.app:/callback",
      "cursor://anysphere.cursor-mcp/oauth/callback",
      "vscode://vscode.github-authentication/did-authenticate",
    ];
    for (const uri of allowed) expect(redirectUriIssue(uri), uri).toBeNull();
    const refused = [
      "http://client.example/callback",
      "http://127.0.0.1.attacker.example/",
      "http://localhost.attacker.example/",
      "http://127.0.0.1@attacker.example/",
      "http://127.0.0.1:80:80/",
      "http://127.1/",
      "http://0.0.0.0/",
      "https://user:password@client.example/",
      "https://client.example/#fragment",
      "https://*.client.example/",
      "https://client.example/\\..",
      "https:client.example",
      "https://",
      "javascript:alert(1)",
      "JavaScript://client.example/%0aalert(1)",
      "data:text/html,x",
      "file:///etc/passwd",
      "blob:https://client.example/1",
      "about:blank",
      "mailto:a@client.example",
      "ms-msdt:/id",
      "intent://scan/#Intent",
      "view-source:https://client.example",
      "//client.example/",
      "/callback",
      "client.example/callback",
      "https://client.example/a b",
      "https://client.example/\u00e9",
      "https://client.example/\r\n",
      `https://client.example/${"x".repeat(2_000)}`,
      "",
    ];
    for (const uri of refused) expect(redirectUriIssue(uri), uri).not.toBeNull();
  });

  it("match exactly, except for the port of a loopback host", () => {
    const registered = ["https://client.example/cb", "http://127.0.0.1:1/cb", "http://localhost/cb"];
    for (const uri of [
      "https://client.example/cb",
      "http://127.0.0.1/cb",
      "http://127.0.0.1:65535/cb",
      "http://localhost:8/cb",
    ])
      expect(isRegistered(registered, uri), uri).toBe(true);
    for (const uri of [
      "https://client.example:8443/cb",
      "https://client.example/cb/",
      "http://127.0.0.1:1/cb?x",
      "http://127.0.0.1:1x/cb",
      "http://127.0.0.2:1/cb",
      "http://localhost:8/cb#",
      "http://[::1]:8/cb",
    ])
      expect(isRegistered(registered, uri), uri).toBe(false);
  });

  it("are allowed on the consent page by their origin, or the scheme of an app", () => {
    expect(formActionOf("https://client.example:8443/cb?x")).toBe("https://client.example:8443");
    expect(formActionOf("http://[::1]:8080/cb")).toBe("http://[::1]:8080");
    expect(formActionOf("com.example.app:/cb")).toBe("com.example.app:");
  });
});

describe("metadata", () => {
  it("is published for the server, the service and /mcp, with matching identifiers", async () => {
    const read = async (path: string) => (await workerFetch(`${ISSUER}/.well-known/${path}`)).json();
    expect(await read("oauth-authorization-server")).toMatchObject({
      issuer: ISSUER,
      token_endpoint: `${ISSUER}/oauth/token`,
      code_challenge_methods_supported: ["S256"],
      token_endpoint_auth_methods_supported: ["none"],
      authorization_response_iss_parameter_supported: true,
    });
    const ofService = await read("oauth-protected-resource");
    const ofMcp = await read("oauth-protected-resource/mcp");
    expect(ofService).toMatchObject({ resource: ISSUER, authorization_servers: [ISSUER] });
    expect(ofMcp).toMatchObject({ resource: `${ISSUER}/mcp`, authorization_servers: [ISSUER] });
  });
});
