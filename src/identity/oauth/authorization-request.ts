import type { Scope } from "../../access/accounts/scopes.ts";
import { isOwnResource } from "../../access/tokens/rules.ts";
import type { Ctx } from "../../platform/context.ts";
import { getClient } from "./clients.ts";
import { isCodeChallenge, isRegistered, MAX_STATE_CHARACTERS, OAuthError, type OAuthErrorCode } from "./rules.ts";
import type { OAuthClient } from "./schema.ts";
import { requestedScopes } from "./scopes.ts";

/** A valid authorization request (RFC 6749 4.1.1, RFC 7636 4.3, RFC 8707 2.1). */
export interface AuthorizationRequest extends ReturnTarget {
  scopes: Scope[];
  codeChallenge: string;
  resource: string;
}

/** Where the response to a client goes. The redirect URI is a registered one. */
export interface ReturnTarget {
  client: OAuthClient;
  redirectUri: string;
  state: string | null;
}

/** A request that the client must learn about: its redirect URI is valid. Other issues are OAuthErrors, shown to the user. */
export class AuthorizationRefusal extends OAuthError {
  readonly target: ReturnTarget;

  constructor(target: ReturnTarget, code: OAuthErrorCode, description: string) {
    super(code, description);
    this.name = "AuthorizationRefusal";
    this.target = target;
  }
}

/** Parameters that a request must not repeat (RFC 6749 3.1). */
const SINGLE = ["response_type", "scope", "state", "code_challenge", "code_challenge_method", "response_mode"];

/**
 * Reads an authorization request. Throws OAuthError when the client or its redirect URI is not valid, so that nothing is
 * sent there, and AuthorizationRefusal for every other issue.
 */
export async function readAuthorizationRequest(ctx: Ctx, query: URLSearchParams): Promise<AuthorizationRequest> {
  const target = await readTarget(ctx, query);
  const refuse = (code: OAuthErrorCode, description: string) => new AuthorizationRefusal(target, code, description);
  const repeated = SINGLE.find((name) => query.getAll(name).length > 1);
  if (repeated !== undefined) throw refuse("invalid_request", `${repeated} is given more than once`);
  if ((target.state?.length ?? 0) > MAX_STATE_CHARACTERS)
    throw refuse("invalid_request", `state has at most ${MAX_STATE_CHARACTERS} characters`);
  if (query.get("response_type") !== "code") throw refuse("unsupported_response_type", "response_type must be code");
  if ((query.get("response_mode") ?? "query") !== "query")
    throw refuse("invalid_request", "response_mode must be query");
  if (query.get("code_challenge_method") !== "S256")
    throw refuse("invalid_request", "code_challenge_method must be S256 (RFC 7636)");
  const codeChallenge = query.get("code_challenge") ?? "";
  if (!isCodeChallenge(codeChallenge))
    throw refuse("invalid_request", "code_challenge must be the base64url of 32 octets (RFC 7636 4.2)");
  const scopes = requestedScopes(query.get("scope") ?? undefined);
  if (scopes.length === 0) throw refuse("invalid_scope", "No known scope is requested");
  const resources = query.getAll("resource");
  if (!resources.every((resource) => isOwnResource(ctx.settings.publicUrl, resource)))
    throw refuse("invalid_target", `resource must be ${ctx.settings.publicUrl}/mcp (RFC 8707)`);
  return { ...target, scopes, codeChallenge, resource: resources[0] ?? `${ctx.settings.publicUrl}/mcp` };
}

async function readTarget(ctx: Ctx, query: URLSearchParams): Promise<ReturnTarget> {
  const [clientId, ...otherIds] = query.getAll("client_id");
  if (clientId === undefined || otherIds.length > 0)
    throw new OAuthError("invalid_request", "client_id must be given once");
  const client = await getClient(ctx, clientId);
  const [redirectUri, ...otherUris] = query.getAll("redirect_uri");
  if (redirectUri === undefined || otherUris.length > 0)
    throw new OAuthError("invalid_request", "redirect_uri must be given once");
  if (!isRegistered(client.redirectUris, redirectUri))
    throw new OAuthError("invalid_request", "The client has not registered this redirect_uri");
  return { client, redirectUri, state: query.get("state") };
}

/**
 * Returns the redirect URI with the parameters of a response, with `state` as the client sent it and with `iss`, by which
 * a client of several servers tells whose response it is (RFC 9207).
 */
export function responseUri(
  ctx: Pick<Ctx, "settings">,
  target: ReturnTarget,
  response: Record<string, string>,
): string {
  const parameters = new URLSearchParams(response);
  if (target.state !== null) parameters.set("state", target.state);
  parameters.set("iss", ctx.settings.publicUrl);
  const separator = target.redirectUri.includes("?") ? "&" : "?";
  return `${target.redirectUri}${separator}${parameters}`;
}
