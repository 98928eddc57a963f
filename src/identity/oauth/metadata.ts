import type { Scope } from "../../access/accounts/scopes.ts";
import type { Settings } from "../../platform/settings/settings.ts";
import { grantableScopes } from "./scopes.ts";

/** Returns the metadata of the authorization server (RFC 8414 2, RFC 9207 3). */
export function authorizationServerMetadata({ publicUrl }: Settings) {
  return {
    issuer: publicUrl,
    authorization_endpoint: `${publicUrl}/oauth/authorize`,
    token_endpoint: `${publicUrl}/oauth/token`,
    registration_endpoint: `${publicUrl}/oauth/register`,
    revocation_endpoint: `${publicUrl}/oauth/revoke`,
    scopes_supported: grantableScopes,
    response_types_supported: ["code"],
    response_modes_supported: ["query"],
    grant_types_supported: ["authorization_code", "refresh_token"],
    token_endpoint_auth_methods_supported: ["none"],
    revocation_endpoint_auth_methods_supported: ["none"],
    code_challenge_methods_supported: ["S256"],
    authorization_response_iss_parameter_supported: true,
  };
}

/** Returns the metadata of a resource (RFC 9728 2): the whole service, or `/mcp`. `scopes`: those for which a client asks the user. */
export function protectedResourceMetadata(
  { publicUrl, serviceName }: Settings,
  path: "" | "/mcp",
  scopes: readonly Scope[] = grantableScopes,
) {
  return {
    resource: `${publicUrl}${path}`,
    authorization_servers: [publicUrl],
    scopes_supported: scopes,
    bearer_methods_supported: ["header"],
    resource_name: serviceName,
  };
}
