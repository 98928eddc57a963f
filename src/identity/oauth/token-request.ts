import type { Ctx } from "../../platform/context.ts";
import { OAuthError } from "./errors.ts";
import { redeemCode, type TokenPair } from "./redeem-code.ts";
import { refreshGrant } from "./refresh-grant.ts";

/** The response of the token endpoint (RFC 6749 5.1). */
export interface TokenResponse {
  access_token: string;
  token_type: "Bearer";
  expires_in: number;
  refresh_token: string;
  scope: string;
}

/** Returns a request to the token endpoint (RFC 6749 3.2). Throws OAuthError. */
export async function handleTokenRequest(ctx: Ctx, form: URLSearchParams): Promise<TokenResponse> {
  const grantType = requiredField(form, "grant_type");
  if (grantType !== "authorization_code" && grantType !== "refresh_token")
    throw new OAuthError("unsupported_grant_type", "grant_type must be authorization_code or refresh_token");
  const clientId = requiredField(form, "client_id").toLowerCase();
  const resources = form.getAll("resource");
  if (grantType === "refresh_token") {
    const refreshToken = requiredField(form, "refresh_token");
    return toResponse(await refreshGrant(ctx, { clientId, refreshToken, scope: field(form, "scope"), resources }));
  }
  const code = requiredField(form, "code");
  const codeVerifier = requiredField(form, "code_verifier");
  const redirectUri = field(form, "redirect_uri");
  return toResponse(await redeemCode(ctx, { clientId, code, codeVerifier, redirectUri, resources }));
}

/** Returns a field of a form, undefined when it is absent or empty. Throws invalid_request when it is repeated (RFC 6749 3.2). */
function field(form: URLSearchParams, name: string): string | undefined {
  const values = form.getAll(name);
  if (values.length > 1) throw new OAuthError("invalid_request", `${name} is given more than once`);
  return values[0] === "" ? undefined : values[0];
}

/** Returns a field of a form. Throws invalid_request when it is absent, empty or repeated. */
export function requiredField(form: URLSearchParams, name: string): string {
  const value = field(form, name);
  if (value === undefined) throw new OAuthError("invalid_request", `${name} is missing`);
  return value;
}

const toResponse = ({ access, refreshToken, scopes }: TokenPair): TokenResponse => ({
  access_token: access.token,
  token_type: "Bearer",
  expires_in: access.expiresInSeconds,
  refresh_token: refreshToken,
  scope: scopes.join(" "),
});
