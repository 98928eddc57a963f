import * as oauth from "oauth4webapi";
import { describe, expect, it } from "vitest";
import { aClient, authorizeUrl, consent, ISSUER, onWorker, REDIRECT_URI } from "../../support/oauth.ts";
import { apiWith, aWorkspace, perSuite } from "../../support/workspace.ts";

/** Drives the whole flow with a client library that checks every response against the RFCs. */

const workspace = perSuite(aWorkspace);

async function discover(): Promise<oauth.AuthorizationServer> {
  const issuer = new URL(ISSUER);
  const response = await oauth.discoveryRequest(issuer, { algorithm: "oauth2", ...onWorker });
  return oauth.processDiscoveryResponse(issuer, response);
}

describe("a client built with oauth4webapi", () => {
  it("finds the server from the resource, registers, gets tokens, calls the API, refreshes and revokes", async () => {
    const resource = new URL(`${ISSUER}/mcp`);
    const metadata = await oauth.processResourceDiscoveryResponse(
      resource,
      await oauth.resourceDiscoveryRequest(resource, onWorker),
    );
    expect(metadata.authorization_servers).toEqual([ISSUER]);
    const server = await discover();
    const client = await oauth.processDynamicClientRegistrationResponse(
      await oauth.dynamicClientRegistrationRequest(
        server,
        { redirect_uris: [REDIRECT_URI], client_name: "A real client", token_endpoint_auth_method: "none" },
        { ...onWorker, headers: { "CF-Connecting-IP": "198.51.100.1" } },
      ),
    );

    const verifier = oauth.generateRandomCodeVerifier();
    const state = oauth.generateRandomState();
    const challenge = await oauth.calculatePKCECodeChallenge(verifier);
    const url = authorizeUrl(client.client_id, challenge, { state, resource: resource.href });
    const result = await consent(workspace, url);
    expect(result.status).toBe(303);
    const location = new URL(result.headers.get("Location") ?? "");
    const parameters = oauth.validateAuthResponse(server, client, location, state);

    const code = await oauth.authorizationCodeGrantRequest(
      server,
      client,
      oauth.None(),
      parameters,
      REDIRECT_URI,
      verifier,
      { ...onWorker, additionalParameters: { resource: resource.href } },
    );
    const tokens = await oauth.processAuthorizationCodeResponse(server, client, code);
    expect(tokens).toMatchObject({ token_type: "bearer", expires_in: 900, scope: "emails:send emails:view" });
    const api = apiWith(tokens.access_token);
    expect(await (await api.get("/v1/me")).json()).toMatchObject({
      workspace: { id: workspace.workspaceId },
      scopes: ["emails:send", "emails:view"],
      authentication: { method: "oauth", client_id: client.client_id, client_name: "A real client" },
    });

    const refreshed = await oauth.processRefreshTokenResponse(
      server,
      client,
      await oauth.refreshTokenGrantRequest(server, client, oauth.None(), tokens.refresh_token ?? "", onWorker),
    );
    expect(refreshed.refresh_token).not.toBe(tokens.refresh_token);
    expect((await apiWith(refreshed.access_token).get("/v1/emails/")).status).toBe(200);

    await oauth.processRevocationResponse(
      await oauth.revocationRequest(server, client, oauth.None(), refreshed.refresh_token ?? "", onWorker),
    );
    for (const token of [tokens.access_token, refreshed.access_token])
      expect((await apiWith(token).get("/v1/emails/")).status).toBe(401);
  });

  it("learns that the user refused", async () => {
    const server = await discover();
    const client = { client_id: (await aClient()).id };
    const challenge = await oauth.calculatePKCECodeChallenge(oauth.generateRandomCodeVerifier());
    const result = await consent(workspace, authorizeUrl(client.client_id, challenge), { decision: "deny" });
    const location = new URL(result.headers.get("Location") ?? "");
    expect(() => oauth.validateAuthResponse(server, client, location, "a state")).toThrow(
      expect.objectContaining({ error: "access_denied" }),
    );
  });
});
