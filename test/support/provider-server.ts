/** A stand-in for Google and GitHub: an OAuth 2.0 authorization server that checks what the real ones check. */

import { createHash, randomUUID } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { readBody } from "../../dev/dns/server.ts";

/** Client that the server knows. */
const CLIENT = { id: "stand-in client", secret: "stand-in secret" };

/** The account of the person at the provider, given by the test as the parameter `profile` of /authorize. */
interface Account {
  id: number;
  name?: string;
  email: string;
  verified: boolean;
  /** Claims that replace those of the ID token. */
  claims?: Record<string, unknown>;
}

interface Grant {
  query: URLSearchParams;
  account: Account;
}

/** Starts the server. Returns its port by name and a function that stops it. */
export async function startProvider() {
  const grants = new Map<string, Grant>();
  const server = createServer((request, response) => {
    respond(grants, request).then(
      ({ status = 200, location, body }) => {
        response.writeHead(status, { "Content-Type": "application/json", ...(location ? { Location: location } : {}) });
        response.end(JSON.stringify(body ?? {}));
      },
      (error) => response.writeHead(500).end(String(error)),
    );
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  return {
    ports: { provider: (server.address() as AddressInfo).port },
    async stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}

interface Reply {
  status?: number;
  location?: string;
  body?: unknown;
}

async function respond(grants: Map<string, Grant>, request: IncomingMessage): Promise<Reply> {
  const url = new URL(request.url ?? "/", "http://provider.test");
  if (url.pathname === "/authorize") return authorize(grants, url.searchParams);
  if (url.pathname === "/token") return redeem(grants, new URLSearchParams((await readBody(request)).toString()));
  const account = grants.get((request.headers.authorization ?? "").replace("Bearer ", ""))?.account;
  if (!account) return { status: 401 };
  if (url.pathname === "/user") return { body: { id: account.id, name: account.name ?? null } };
  return { body: [{ email: account.email, primary: true, verified: account.verified }] };
}

function authorize(grants: Map<string, Grant>, query: URLSearchParams): Reply {
  const { profile = "{}", redirect_uri = "", state = "" } = Object.fromEntries(query);
  const code = randomUUID();
  grants.set(code, { query, account: JSON.parse(profile) as Account });
  return { status: 302, location: `${redirect_uri}?${new URLSearchParams({ code, state })}` };
}

/** Returns the token request of a code once (RFC 6749 4.1.3, RFC 7636 4.6). */
function redeem(grants: Map<string, Grant>, form: URLSearchParams): Reply {
  const grant = grants.get(form.get("code") ?? "");
  grants.delete(form.get("code") ?? "");
  const challenge = createHash("sha256")
    .update(form.get("code_verifier") ?? "")
    .digest("base64url");
  const isRight =
    grant !== undefined &&
    form.get("client_id") === CLIENT.id &&
    form.get("client_secret") === CLIENT.secret &&
    form.get("redirect_uri") === grant.query.get("redirect_uri") &&
    grant.query.get("code_challenge_method") === "S256" &&
    challenge === grant.query.get("code_challenge");
  if (!isRight) return { status: 400, body: { error: "invalid_grant" } };
  const token = randomUUID();
  grants.set(token, grant);
  // As OpenID Connect Core 3.1.2.1 has it: GitHub, which is not asked for this scope, gives no ID token.
  const isOpenId = grant.query.get("scope")?.split(" ").includes("openid");
  return { body: { access_token: token, token_type: "bearer", ...(isOpenId ? { id_token: idToken(grant) } : {}) } };
}

function idToken({ query, account }: Grant): string {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const now = Math.floor(Date.now() / 1000);
  const claims = {
    iss: "https://accounts.google.com",
    iat: now,
    sub: String(account.id),
    aud: CLIENT.id,
    exp: now + 300,
    nonce: query.get("nonce"),
    email: account.email,
    email_verified: account.verified,
    name: account.name,
    ...account.claims,
  };
  return `${part({ alg: "RS256" })}.${part(claims)}.c2lnbmF0dXJl`;
}
