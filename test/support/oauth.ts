import { exports } from "cloudflare:workers";
import * as oauth from "oauth4webapi";
import type { Scope } from "../../src/access/accounts/scopes.ts";
import type { SessionActor } from "../../src/access/caller.ts";
import { issueAccessToken } from "../../src/access/tokens/issue-access-token.ts";
import { approve } from "../../src/identity/oauth/approve.ts";
import { getClient, registerClient } from "../../src/identity/oauth/clients.ts";
import { grantableScopes } from "../../src/identity/oauth/scopes.ts";
import type { Ctx } from "../../src/platform/context.ts";
import { oncePerFile } from "./once-per-file.ts";
import { aSession } from "./sessions.ts";
import { apiWith, type TestWorkspace, testContext } from "./workspace.ts";

/** A web client's redirect URI. */
export const REDIRECT_URI = "https://client.example/callback";
/** PUBLIC_URL of the tests. */
export const ISSUER = testContext().settings.publicUrl;

/** Calls the Worker in place of the network, for a client library. */
export const workerFetch = (url: string | URL, init?: RequestInit): Promise<Response> =>
  exports.default.fetch(new Request(url, { ...init, redirect: "manual" }));

/** Options of oauth4webapi that send requests to the Worker, and allow the http issuer of the tests. */
export const onWorker = {
  [oauth.customFetch]: (url: string, options: unknown) => workerFetch(url, options as RequestInit),
  [oauth.allowInsecureRequests]: true,
};

/** Returns a registered client. */
export function aClient(redirectUris: string[] = [REDIRECT_URI], ctx: Ctx = testContext()) {
  return registerClient(ctx, { redirect_uris: redirectUris, client_name: "An assistant" });
}

/** Posts a form as a program does. */
export function postForm(path: string, fields: Record<string, string> | [string, string][]): Promise<Response> {
  return workerFetch(`${ISSUER}${path}`, { method: "POST", body: new URLSearchParams(fields) });
}

/** Returns a code verifier and its S256 challenge. */
export async function aVerifier() {
  const verifier = oauth.generateRandomCodeVerifier();
  return { verifier, challenge: await oauth.calculatePKCECodeChallenge(verifier) };
}

type Owner = Pick<TestWorkspace, "userId" | "workspaceNumber" | "workspaceId">;

interface CodeOptions {
  scopes?: readonly Scope[];
  clientId?: string;
  redirectUri?: string;
  resource?: string;
  ctx?: Ctx;
}

/** Returns a user who signed in, as an actor. */
function anActor({ userId }: Pick<TestWorkspace, "userId">): SessionActor {
  return {
    kind: "session",
    credentialId: crypto.randomUUID(),
    userId,
    email: "user@client.example",
    name: null,
    role: "owner",
    mailboxesOnly: false,
    scopes: new Set(),
    grantsAll: true,
    domainIds: null,
    expiresAt: null,
    restricted: false,
    isPlatformAdmin: false,
    timeZone: null,
    accessExpiresAt: 0,
    reauthenticatedAt: null,
  };
}

/** Returns an authorization code that a user granted, with what redeems it. */
export async function aCode(owner: Owner, options: CodeOptions = {}) {
  const {
    scopes = ["emails:view"],
    redirectUri = REDIRECT_URI,
    resource = `${ISSUER}/mcp`,
    ctx = testContext(),
  } = options;
  const client =
    options.clientId === undefined ? await aClient([redirectUri], ctx) : await getClient(ctx, options.clientId);
  const { verifier, challenge } = await aVerifier();
  const request = { client, redirectUri, state: null, scopes: [...scopes], codeChallenge: challenge, resource };
  const { workspaceId } = owner;
  const code = await approve(ctx, request, { actor: anActor(owner), clientIp: null, workspaceId, scopes });
  const fields = {
    grant_type: "authorization_code",
    client_id: client.id,
    redirect_uri: redirectUri,
    code,
    code_verifier: verifier,
  };
  return { client, code, verifier, fields };
}

export interface Tokens {
  access_token: string;
  refresh_token: string;
  scope: string;
  expires_in: number;
}

/** Returns the tokens of a grant, with functions that call the API with its access token. */
export async function aGrant(owner: Owner, options: CodeOptions = {}) {
  const code = await aCode(owner, options);
  const tokens = await (await postForm("/oauth/token", code.fields)).json<Tokens>();
  return { ...code, tokens, ...apiWith(tokens.access_token) };
}

/** Returns the URL of an authorization request. */
export function authorizeUrl(clientId: string, challenge: string, changes: Record<string, string | null> = {}): URL {
  const url = new URL("/oauth/authorize", ISSUER);
  const fields = {
    response_type: "code",
    client_id: clientId,
    redirect_uri: REDIRECT_URI,
    code_challenge: challenge,
    code_challenge_method: "S256",
    scope: "emails:view emails:send",
    state: "a state",
    ...changes,
  };
  for (const [name, value] of Object.entries(fields)) if (value !== null) url.searchParams.set(name, value);
  return url;
}

/** Submits the consent form as the browser of a user who is signed in does. Returns the response. */
export async function consent(owner: Owner, url: URL, form: Record<string, string> | [string, string][] = []) {
  const session = await aSession(owner);
  const fields = new URLSearchParams(form);
  if (!fields.has("decision")) fields.set("decision", "allow");
  if (!fields.has("workspace")) fields.set("workspace", owner.workspaceId);
  if (!fields.has("scope"))
    for (const scope of (url.searchParams.get("scope") ?? "emails:view").split(" ")) fields.append("scope", scope);
  return session.call("POST", url.pathname + url.search, fields.toString(), {
    "Content-Type": "application/x-www-form-urlencoded",
  });
}

const sharedClient = oncePerFile(() => aClient());

/** Inserts a grant and returns one of its access tokens. `expiresAt` is that of the grant, in ms since 1970. */
export async function anAccessToken(
  owner: Pick<TestWorkspace, "userId" | "workspaceNumber">,
  scopes: readonly Scope[] = grantableScopes,
  { ctx = testContext(), expiresAt = ctx.now() + 3_600_000 }: { ctx?: Ctx; expiresAt?: number } = {},
): Promise<string> {
  const { id: clientId } = await sharedClient();
  const grantId = ctx.newId();
  const { token, statements } = await issueAccessToken(ctx, grantId, scopes);
  const insert = `
    INSERT INTO oauth_grants (id, workspace, user_id, client_id, scopes, resource, created_at, expires_at)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)`;
  const values = [grantId, owner.workspaceNumber, owner.userId, clientId, JSON.stringify(scopes), ISSUER];
  await ctx.db.batch([ctx.db.prepare(insert).bind(...values, ctx.now(), expiresAt), ...statements]);
  return token;
}

/** Creates a grant and returns its id as a path parameter. */
export async function createGrant(owner: Pick<TestWorkspace, "userId" | "workspaceNumber">) {
  await anAccessToken(owner);
  const row = await testContext()
    .db.prepare("SELECT id FROM oauth_grants WHERE user_id = ?1 ORDER BY id DESC LIMIT 1")
    .bind(owner.userId)
    .first<{ id: string }>();
  return { grant_id: row?.id ?? "" };
}
