export { mintApiKey } from "./api-key.ts";
export { authenticateApiKey } from "./authenticate.ts";
export { type RequiredScope, roleScopes, routeScopes, type Scope, scopes } from "./scopes.ts";
