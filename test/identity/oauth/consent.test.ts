import { describe, expect, it } from "vitest";
import { scopes } from "../../../src/access/accounts/scopes.ts";
import { registerClient } from "../../../src/identity/oauth/clients.ts";
import { aClient, authorizeUrl, aVerifier, consent, postForm, REDIRECT_URI, type Tokens } from "../../support/oauth.ts";
import { apiWithCookies, aSession, cookiesOf } from "../../support/sessions.ts";
import { apiWith, aWorkspace, perSuite, testContext } from "../../support/workspace.ts";

const workspace = perSuite(aWorkspace);

/** Returns the path of an authorization request of a new client. */
async function aRequest(changes: Record<string, string | null> = {}) {
  const client = await aClient();
  const { verifier, challenge } = await aVerifier();
  const url = authorizeUrl(client.id, challenge, changes);
  const redeem = (code: string) =>
    postForm("/oauth/token", {
      grant_type: "authorization_code",
      client_id: client.id,
      redirect_uri: REDIRECT_URI,
      code,
      code_verifier: verifier,
    });
  return { client, url, path: url.pathname + url.search, redeem };
}

const codeOf = (response: Response) => new URL(response.headers.get("Location") ?? "").searchParams.get("code") ?? "";

describe("the consent page", () => {
  it("names the client, its destination, the account, the workspaces and a sentence for each scope, with a warning", async () => {
    const { path } = await aRequest();
    const session = await aSession(workspace);
    const response = await session.get(path);
    expect(response.status).toBe(200);
    const page = await response.text();
    for (const text of [
      "An assistant",
      "client.example",
      `owner@${workspace.domain}`,
      scopes["emails:view"],
      scopes["emails:send"],
    ])
      expect(page).toContain(text);
    expect(page).toContain("This client is not verified.");
    expect(page).toContain(`value="${workspace.workspaceId}" required="" checked=""`);
    expect(page).not.toContain(scopes["contacts:manage"]);
    expect(page).not.toContain("<script");
  });

  it("escapes what the client calls itself", async () => {
    const client = await registerClient(testContext(), {
      redirect_uris: [REDIRECT_URI],
      client_name: `<img src=x onerror="alert(1)">`,
    });
    const { challenge } = await aVerifier();
    const url = authorizeUrl(client.id, challenge, { state: `"><script>` });
    const page = await (await (await aSession(workspace)).get(url.pathname + url.search)).text();
    expect(page).toContain("&lt;img src=x onerror=&quot;alert(1)&quot;&gt;");
    expect(page).not.toMatch(/<img|<script/);
  });

  it("asks for what changes nothing when the client asks for no scope, and ignores unknown scopes", async () => {
    const session = await aSession(workspace);
    const page = await (await session.get((await aRequest({ scope: null })).path)).text();
    expect(page).toContain(scopes["emails:view"]);
    expect(page).not.toContain(scopes["emails:send"]);
    const mixed = await (
      await session.get((await aRequest({ scope: "openid contacts:view offline_access" })).path)
    ).text();
    expect(mixed.match(/name="scope"/g)).toHaveLength(1);
    for (const scope of ["openid", "*", "smtp:manage", "emails:Send"]) {
      const refused = await session.get((await aRequest({ scope })).path);
      expect(refused.headers.get("Location"), scope).toContain("?error=invalid_scope&");
    }
  });

  it("sends a visitor to the sign-in page and back", async () => {
    const { path } = await aRequest();
    const response = await apiWith(null).get(path);
    expect(response.status).toBe(303);
    const location = new URL(response.headers.get("Location") ?? "", "http://api.test");
    expect([location.pathname, location.searchParams.get("next")]).toEqual(["/auth/sign-in", path]);
  });

  it("returns a link from another site with a page that loads itself again, since it lacks the Strict cookie", async () => {
    const { path } = await aRequest();
    const crossSite = await apiWith(null).get(path, { "Sec-Fetch-Site": "cross-site" });
    expect(crossSite.status).toBe(200);
    expect(await crossSite.text()).toContain(
      `<meta http-equiv="refresh" content="0;url=${path.replaceAll("&", "&amp;")}"`,
    );
    const again = await apiWith(null).get(path, { "Sec-Fetch-Site": "same-origin" });
    expect(again.status).toBe(303);
  });

  it("refreshes a session whose access token has expired", async () => {
    const { path } = await aRequest();
    const { tokens } = await aSession(workspace);
    const stale = apiWithCookies({ session: "expired", refresh: tokens.refreshToken });
    const response = await stale.get(path);
    expect(response.status).toBe(200);
    expect(Object.keys(cookiesOf(response)).sort()).toEqual(["refresh", "session"]);
  });

  it("grants the chosen workspace only", async () => {
    const other = await aWorkspace();
    const { db, now } = testContext();
    await db
      .prepare("INSERT INTO memberships (workspace, user_id, role, created_at) VALUES (?1, ?2, 'member', ?3)")
      .bind(other.workspaceNumber, workspace.userId, now())
      .run();
    const { url, path, redeem } = await aRequest();
    const page = await (await (await aSession(workspace)).get(path)).text();
    for (const id of [workspace.workspaceId, other.workspaceId]) expect(page).toContain(`value="${id}"`);
    const result = await consent(workspace, url, { workspace: other.workspaceId });
    const { access_token: token } = await (await redeem(codeOf(result))).json<Tokens>();
    const me = await (await apiWith(token).get("/v1/me")).json();
    expect(me).toMatchObject({ workspace: { id: other.workspaceId }, role: "member" });
  });

  it("grants nothing in a workspace that the user does not belong to", async () => {
    const foreign = await aWorkspace();
    for (const id of [foreign.workspaceId, testContext().newId(), "nonsense", ""]) {
      const { url } = await aRequest();
      const response = await consent(workspace, url, { workspace: id });
      expect([response.status, response.headers.get("Location")], id).toEqual([404, null]);
    }
  });

  it("grants the scopes that stay selected, and none that the client did not ask for", async () => {
    const { url, redeem } = await aRequest();
    const result = await consent(workspace, url, [
      ["scope", "emails:view"],
      ["scope", "team:manage"],
    ]);
    expect((await (await redeem(codeOf(result))).json<Tokens>()).scope).toBe("emails:view");
    const none = await consent(workspace, url, { scope: "team:manage" });
    expect([none.status, none.headers.get("Location")]).toEqual([422, null]);
    expect(await none.text()).toContain("Select at least one permission");
  });

  it("names an unknown client without sending the user anywhere", async () => {
    const { challenge } = await aVerifier();
    for (const id of [crypto.randomUUID(), "nonsense", "", "\u0000"]) {
      const url = authorizeUrl(id, challenge);
      const response = await (await aSession(workspace)).get(url.pathname + url.search);
      expect([response.status, response.headers.get("Location")], id).toEqual([400, null]);
      expect(await response.text()).toContain("Nothing was sent to the client");
    }
  });

  it("refuses a parameter that is repeated, on a page when it is the client or its redirect URI", async () => {
    const names = ["client_id", "redirect_uri", "state", "code_challenge", "scope", "response_type"];
    for (const [index, name] of names.entries()) {
      const { url } = await aRequest();
      url.searchParams.append(name, url.searchParams.get(name) ?? "");
      const response = await (await aSession(workspace)).get(url.pathname + url.search);
      const error = new URL(response.headers.get("Location") ?? "about:blank").searchParams.get("error");
      expect([response.status, error], name).toEqual(index < 2 ? [400, null] : [303, "invalid_request"]);
    }
  });
});
