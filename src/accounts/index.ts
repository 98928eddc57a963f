export { mintApiKey } from "./api-key.ts";
export { authenticateApiKey } from "./authenticate.ts";
export { type Need, roleScopes, routeNeeds, type Scope, scopes } from "./scopes.ts";
