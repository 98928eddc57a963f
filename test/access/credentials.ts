import { newApiKey } from "../../src/access/accounts/api-key.ts";
import { aGrant, anAccessToken } from "../support/oauth.ts";
import { aSession } from "../support/sessions.ts";
import { aKey, type TestWorkspace, testContext } from "../support/workspace.ts";

/** Returns the headers of invalid credentials, each with a description. */
export async function invalidCredentials(workspace: TestWorkspace): Promise<[string, Record<string, string>][]> {
  const keys = (await invalidKeys(workspace)).map(([what, value]): [string, Record<string, string>] => [
    what,
    value === null ? {} : { Authorization: value },
  ]);
  const cookies = (await invalidSessions(workspace)).map(([what, token]): [string, Record<string, string>] => [
    `session: ${what}`,
    { Cookie: `session=${token}`, Origin: "http://api.test" },
  ]);
  const { accessToken } = (await aSession(workspace)).tokens;
  const tokens = [
    ...(await invalidOAuthTokens(workspace)),
    ["a session as bearer token", accessToken],
    ...(await mailboxTokens(workspace)),
  ];
  const bearers = tokens.map(([what = "", token]): [string, Record<string, string>] => [
    what,
    { Authorization: `Bearer ${token}` },
  ]);
  return [...keys, ...cookies, ...bearers];
}

/** Returns valid tokens of a mailbox session, which opens that mailbox and nothing else, each with a description. */
export async function mailboxTokens(workspace: TestWorkspace): Promise<[string, string][]> {
  const password = "correct horse battery staple";
  await workspace.call("PUT", `/v1/mailboxes/${workspace.mailboxId}/password`, { password });
  const response = await workspace.post("/v1/webmail/login", { email: workspace.mailbox, password });
  const tokens = await response.json<{ access_token: string; refresh_token: string }>();
  return [
    ["mailbox session: access token", tokens.access_token],
    ["mailbox session: refresh token", tokens.refresh_token],
  ];
}

/** Returns invalid access tokens of OAuth grants, each with a description. */
async function invalidOAuthTokens(workspace: TestWorkspace): Promise<[string, string][]> {
  const valid = await anAccessToken(workspace);
  const past = testContext({}, () => Date.now() - 15 * 60_000);
  const { tokens, fields, client } = await aGrant(workspace);
  await testContext().db.prepare("DELETE FROM oauth_grants WHERE client_id = ?1").bind(client.id).run();
  const formerMember = { ...workspace, userId: await createFormerMember(workspace) };
  return [
    ["OAuth: never issued", `svc_a_${"x".repeat(43)}`],
    ["OAuth: edited", `${valid.slice(0, -2)}${valid.endsWith("AA") ? "BB" : "AA"}`],
    ["OAuth: expired", await anAccessToken(workspace, undefined, { ctx: past, expiresAt: Date.now() + 60_000 })],
    ["OAuth: of an expired grant", await anAccessToken(workspace, undefined, { expiresAt: Date.now() })],
    ["OAuth: of a revoked grant", tokens.access_token],
    ["OAuth: a refresh token", tokens.refresh_token],
    ["OAuth: a code", fields.code],
    ["OAuth: of a user who left the workspace", await anAccessToken(formerMember)],
  ];
}

/** Returns invalid access tokens of sessions, each with a description. */
async function invalidSessions(workspace: TestWorkspace): Promise<[string, string][]> {
  const tokenOf = async (of: TestWorkspace, now = Date.now()) =>
    (await aSession(of, { ctx: testContext({}, () => now) })).tokens.accessToken;
  const valid = await tokenOf(workspace);
  const ended = await aSession(workspace);
  await testContext().db.prepare("DELETE FROM sessions WHERE id = ?1").bind(ended.sessionId).run();
  const formerMember = { ...workspace, userId: await createFormerMember(workspace) };
  return [
    ["empty", ""],
    ["not a token", "abc"],
    ["an API key", workspace.apiKey],
    ["edited", `${valid.slice(0, -2)}${valid.endsWith("AA") ? "BB" : "AA"}`],
    ["expired", await tokenOf(workspace, Date.now() - 3_600_001)],
    ["ended", ended.tokens.accessToken],
    ["of a user who left the workspace", await tokenOf(formerMember)],
  ];
}

/** Returns invalid Authorization headers, each with a description. */
async function invalidKeys(workspace: TestWorkspace): Promise<[string, string | null][]> {
  const { apiKey } = workspace;
  const past = Date.now() - 1;
  const mistyped = `${apiKey.slice(0, -1)}${apiKey.endsWith("0") ? "1" : "0"}`;
  const formerMember = await createFormerMember(workspace);
  return [
    ["none", null],
    ["another scheme", `Basic ${btoa(`${apiKey}:`)}`],
    ["no token", "Bearer"],
    ["no scheme", apiKey],
    ["two tokens", `Bearer ${apiKey} ${apiKey}`],
    ["not a key", "Bearer abc"],
    ["mistyped", `Bearer ${mistyped}`],
    ["cut", `Bearer ${apiKey.slice(0, -4)}`],
    ["never issued", `Bearer ${newApiKey()}`],
    ["revoked", `Bearer ${await aKey(workspace, { revokedAt: past })}`],
    ["expired", `Bearer ${await aKey(workspace, { expiresAt: past })}`],
    ["of a user who left the workspace", `Bearer ${await aKey(workspace, { userId: formerMember })}`],
  ];
}

/** Creates a user without a membership and returns its id. */
async function createFormerMember({ domain }: TestWorkspace): Promise<string> {
  const ctx = testContext();
  const id = ctx.newId();
  await ctx.db
    .prepare("INSERT INTO users (id, email, email_key, created_at) VALUES (?1, ?2, ?2, ?3)")
    .bind(id, `${id}@${domain}`, ctx.now())
    .run();
  return id;
}
