export { isApiKey, mintApiKey } from "./api-key.ts";
export { authenticateApiKey, KEY_WORKSPACE } from "./authenticate.ts";
export { type RequiredScope, roleScopes, routeScopes, type Scope, scopes } from "./scopes.ts";
