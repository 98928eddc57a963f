export { isApiKey, mintApiKey } from "./api-key.ts";
export {
  authenticateApiKey,
  type Caller,
  KEY_WORKSPACE,
  MAIL_LIMITS,
  toCallerWorkspace,
  type WorkspaceColumns,
} from "./authenticate.ts";
export {
  effectiveScopes,
  isDeniedToOauth,
  type RequiredScope,
  roleScopes,
  routeScopes,
  type Scope,
  scopes,
} from "./scopes.ts";
