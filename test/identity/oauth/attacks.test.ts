import * as oauth from "oauth4webapi";
import { describe, expect, it } from "vitest";
import {
  aClient,
  aCode,
  aGrant,
  authorizeUrl,
  aVerifier,
  consent,
  ISSUER,
  onWorker,
  postForm,
  REDIRECT_URI,
  type Tokens,
  workerFetch,
} from "../../support/oauth.ts";
import { aSession } from "../../support/sessions.ts";
import { apiWith, aWorkspace, perSuite } from "../../support/workspace.ts";

/** The attacks of RFC 9700 section 4 that this server has to withstand, one test each. */

const workspace = perSuite(aWorkspace);

const errorOf = async (response: Response) => `${response.status} ${(await response.json<{ error: string }>()).error}`;

/** Returns the error that a response sends to the redirect URI of the client, with its state and the issuer. */
function errorSentTo(response: Response): string | null {
  const location = new URL(response.headers.get("Location") ?? "about:blank");
  expect([response.status, location.origin + location.pathname]).toEqual([303, REDIRECT_URI]);
  const { state, iss, code } = Object.fromEntries(location.searchParams);
  expect([state, iss, code]).toEqual(["a state", ISSUER, undefined]);
  return location.searchParams.get("error");
}

/** Opens the authorization page as a user who is signed in. */
async function open(url: URL) {
  return (await aSession(workspace)).get(url.pathname + url.search);
}

describe("insufficient validation of redirect URIs (4.1)", () => {
  it("sends nothing to a URI that differs from the registered one in any character", async () => {
    const client = await aClient(["https://client.example/callback", "http://127.0.0.1:3000/callback"]);
    const { challenge } = await aVerifier();
    const attacks = [
      "https://client.example/callback/",
      "https://client.example/callback?",
      "https://client.example/callback?x=1",
      "https://client.example/callback/../evil",
      "https://client.example/Callback",
      "https://CLIENT.example/callback",
      "https://client.example:443/callback",
      "https://client.example.attacker.example/callback",
      "https://client.example@attacker.example/callback",
      "https://attacker.example/callback#https://client.example/callback",
      "http://client.example/callback",
      "//client.example/callback",
      "https://client.example/callback\r\nX: y",
      "http://127.0.0.1:3000/callback2",
      "http://127.0.0.1.attacker.example:3000/callback",
      "http://127.0.0.1:3000@attacker.example/callback",
      "http://localhost:3000/callback",
      "https://127.0.0.1:3000/callback",
      "http://127.0.0.1:65536/callback",
      "http://127.0.0.1:99999/callback",
      "javascript:alert(1)",
      "",
    ];
    for (const redirect_uri of attacks) {
      const url = authorizeUrl(client.id, challenge, { redirect_uri });
      for (const response of [await open(url), await consent(workspace, url)]) {
        expect([response.status, response.headers.get("Location")], redirect_uri).toEqual([400, null]);
        expect(await response.text()).not.toContain("attacker.example");
      }
    }
    const anyPort = authorizeUrl(client.id, challenge, { redirect_uri: "http://127.0.0.1:51234/callback" });
    const location = (await consent(workspace, anyPort)).headers.get("Location");
    expect(location).toMatch(/^http:\/\/127\.0\.0\.1:51234\/callback\?code=/);
  });
});

describe("leakage of codes in a Referer header (4.2)", () => {
  it("sends no Referer from its pages to other origins", async () => {
    const client = await aClient();
    const { challenge } = await aVerifier();
    const response = await open(authorizeUrl(client.id, challenge));
    expect(response.headers.get("Referrer-Policy")).toBe("no-referrer");
    expect(response.headers.get("Cache-Control")).toBe("no-store");
  });
});

describe("mix-up (4.4)", () => {
  it("names itself in every response, so that a client of several servers refuses a foreign one", async () => {
    const server = await oauth.processDiscoveryResponse(
      new URL(ISSUER),
      await oauth.discoveryRequest(new URL(ISSUER), { algorithm: "oauth2", ...onWorker }),
    );
    expect(server.authorization_response_iss_parameter_supported).toBe(true);
    const client = await aClient();
    const { challenge } = await aVerifier();
    for (const decision of ["allow", "deny"]) {
      const result = await consent(workspace, authorizeUrl(client.id, challenge), { decision });
      const location = new URL(result.headers.get("Location") ?? "");
      expect(location.searchParams.getAll("iss")).toEqual([ISSUER]);
      location.searchParams.set("iss", "https://attacker.example");
      expect(() => oauth.validateAuthResponse(server, { client_id: client.id }, location, "a state")).toThrow(/iss/);
    }
  });
});

describe("code injection and replay (4.5)", () => {
  it("refuses a code with another verifier, client or redirect URI, and leaves it to its owner", async () => {
    const { fields } = await aCode(workspace);
    const other = await aClient();
    const changes: Record<string, string>[] = [
      { code_verifier: (await aVerifier()).verifier },
      { code_verifier: "" },
      { code_verifier: fields.code_verifier.slice(0, -1) },
      { client_id: other.id },
      { client_id: "" },
      { redirect_uri: "https://client.example/other" },
      { code: `${fields.code.slice(0, -1)}_` },
    ];
    for (const change of changes) {
      const response = await postForm("/oauth/token", { ...fields, ...change });
      expect(await errorOf(response), JSON.stringify(change)).toMatch(/^400 invalid_(grant|request)$/);
    }
    expect((await postForm("/oauth/token", fields)).status).toBe(200);
  });

  it("revokes all tokens of a code that is used twice", async () => {
    const { fields, tokens } = await aGrant(workspace);
    expect((await apiWith(tokens.access_token).get("/v1/me")).status).toBe(200);
    expect(await errorOf(await postForm("/oauth/token", fields))).toBe("400 invalid_grant");
    expect((await apiWith(tokens.access_token).get("/v1/me")).status).toBe(401);
    const refresh = { grant_type: "refresh_token", client_id: fields.client_id, refresh_token: tokens.refresh_token };
    expect(await errorOf(await postForm("/oauth/token", refresh))).toBe("400 invalid_grant");
  });

  it("revokes them although the second use has another verifier: the code was stolen", async () => {
    const { fields, tokens } = await aGrant(workspace);
    const stolen = { ...fields, code_verifier: (await aVerifier()).verifier };
    expect(await errorOf(await postForm("/oauth/token", stolen))).toBe("400 invalid_grant");
    expect((await apiWith(tokens.access_token).get("/v1/me")).status).toBe(401);
  });
});

describe("cross-site request forgery (4.7)", () => {
  it("returns the state as it was sent, whatever its characters", async () => {
    const client = await aClient();
    const { challenge } = await aVerifier();
    for (const state of ["a b+c&d=e%20#é\u{1F600}", "", "<script>", "x".repeat(2_000)]) {
      const result = await consent(workspace, authorizeUrl(client.id, challenge, { state }));
      expect(new URL(result.headers.get("Location") ?? "").searchParams.get("state")).toBe(state);
    }
    const without = await consent(workspace, authorizeUrl(client.id, challenge, { state: null }));
    expect(new URL(without.headers.get("Location") ?? "").searchParams.has("state")).toBe(false);
  });

  it("refuses a consent form that another site submits", async () => {
    const client = await aClient();
    const { challenge } = await aVerifier();
    const url = authorizeUrl(client.id, challenge);
    const session = await aSession(workspace);
    const form = `decision=allow&scope=emails%3Aview&workspace=${workspace.workspaceId}`;
    for (const headers of [
      { Origin: "https://attacker.example" },
      { Origin: "null" },
      { Origin: ISSUER, "Sec-Fetch-Site": "cross-site" },
    ] as Record<string, string>[]) {
      const type = { "Content-Type": "application/x-www-form-urlencoded" };
      const response = await session.call("POST", url.pathname + url.search, form, { ...type, ...headers });
      expect([response.status, response.headers.get("Location")], JSON.stringify(headers)).toEqual([403, null]);
    }
  });
});

describe("downgrade of PKCE (4.8)", () => {
  it("accepts S256 only, and no request or code without it", async () => {
    const client = await aClient();
    const { challenge, verifier } = await aVerifier();
    const requests: Record<string, string | null>[] = [
      { code_challenge: null, code_challenge_method: null },
      { code_challenge_method: null },
      { code_challenge_method: "plain", code_challenge: verifier },
      { code_challenge_method: "s256" },
      { code_challenge: null },
      { code_challenge: "" },
      { code_challenge: "short" },
      { code_challenge: `${challenge}=` },
    ];
    for (const changes of requests) {
      const response = await consent(workspace, authorizeUrl(client.id, challenge, changes));
      expect(errorSentTo(response), JSON.stringify(changes)).toBe("invalid_request");
    }
    const { fields } = await aCode(workspace);
    const { code_verifier: _, ...withoutVerifier } = fields;
    expect(await errorOf(await postForm("/oauth/token", withoutVerifier))).toBe("400 invalid_request");
    const challengeOfCode = await oauth.calculatePKCECodeChallenge(fields.code_verifier);
    const asPlain = { ...fields, code_verifier: challengeOfCode };
    expect(await errorOf(await postForm("/oauth/token", asPlain))).toBe("400 invalid_grant");
  });
});

describe("use of a token at another resource (4.10)", () => {
  it("issues no token for another resource, and accepts none", async () => {
    const client = await aClient();
    const { challenge } = await aVerifier();
    const foreignResources = ["https://attacker.example/mcp", `${ISSUER}.attacker.example`, `${ISSUER}/other`, "mcp"];
    for (const resource of [...foreignResources, `${ISSUER}/mcp//`, `${ISSUER}/mcp/x/`]) {
      const response = await consent(workspace, authorizeUrl(client.id, challenge, { resource }));
      expect(errorSentTo(response), resource).toBe("invalid_target");
      const { fields } = await aCode(workspace);
      expect(await errorOf(await postForm("/oauth/token", { ...fields, resource }))).toBe("400 invalid_target");
    }
    const foreign = await aGrant(workspace, { resource: "https://other.example/mcp" });
    expect((await foreign.get("/v1/me")).status).toBe(401);
  });

  it("takes its own resource with a slash at its end", async () => {
    const client = await aClient();
    const { challenge } = await aVerifier();
    for (const path of ["/", "/mcp/", "/v1/"]) {
      const resource = `${ISSUER}${path}`;
      const response = await consent(workspace, authorizeUrl(client.id, challenge, { resource }));
      expect(response.headers.get("Location"), resource).toContain("?code=");
      const grant = await aGrant(workspace, { resource });
      expect((await grant.get("/v1/me")).status, resource).toBe(200);
    }
  });
});

describe("open redirection (4.11)", () => {
  it("redirects no visitor who is not signed in, and a user to a registered URI only", async () => {
    const client = await aClient();
    const { challenge } = await aVerifier();
    const invalid = authorizeUrl(client.id, challenge, { response_type: "token" });
    const visitor = await workerFetch(invalid);
    expect(visitor.headers.get("Location")).toMatch(/^\/auth\/sign-in\?/);
    expect(errorSentTo(await open(invalid))).toBe("unsupported_response_type");
    invalid.searchParams.set("redirect_uri", "https://attacker.example/");
    const response = await open(invalid);
    expect([response.status, response.headers.get("Location")]).toEqual([400, null]);
    expect(await response.text()).toContain("Nothing was sent to the client");
  });
});

describe("307 redirect of credentials (4.12)", () => {
  it("returns the consent form with 303", async () => {
    const client = await aClient();
    const { challenge } = await aVerifier();
    expect((await consent(workspace, authorizeUrl(client.id, challenge))).status).toBe(303);
  });
});

describe("reuse of a refresh token (4.14)", () => {
  it("refuses the refresh token of another client and leaves it to its owner", async () => {
    const { tokens, client } = await aGrant(workspace);
    const other = await aClient();
    const fields = { grant_type: "refresh_token", refresh_token: tokens.refresh_token };
    expect(await errorOf(await postForm("/oauth/token", { ...fields, client_id: other.id }))).toBe("400 invalid_grant");
    const result = await postForm("/oauth/token", { ...fields, client_id: client.id });
    expect((await result.json<Tokens>()).refresh_token).not.toBe(tokens.refresh_token);
  });
});

describe("clickjacking (4.16)", () => {
  it("lets no site frame the consent page, and posts its form to itself and the client only", async () => {
    const client = await aClient([REDIRECT_URI, "http://127.0.0.1/cb", "com.example.app:/cb"]);
    const { challenge } = await aVerifier();
    const sources = {
      [REDIRECT_URI]: "https://client.example",
      "http://127.0.0.1:5123/cb": "http://127.0.0.1:5123",
      "com.example.app:/cb": "com.example.app:",
    };
    for (const [redirect_uri, source] of Object.entries(sources)) {
      const response = await open(authorizeUrl(client.id, challenge, { redirect_uri }));
      const policy = response.headers.get("Content-Security-Policy") ?? "";
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).toContain(`form-action 'self' ${source};`);
      expect(policy).toContain("default-src 'none'");
      expect(response.headers.get("X-Frame-Options")).toBe("DENY");
    }
  });
});
