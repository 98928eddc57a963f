export { isApiKey, mintApiKey } from "./api-key.ts";
export {
  authenticateApiKey,
  type Caller,
  KEY_WORKSPACE,
  toCallerWorkspace,
  WORKSPACE_COLUMNS_SQL,
  type WorkspaceColumns,
} from "./authenticate.ts";
export {
  effectiveScopes,
  isDeniedToOauth,
  isServiceScope,
  OAUTH_REFUSAL,
  type RequiredScope,
  roleScopes,
  type Scope,
  type ServiceScope,
  scopes,
  serviceScopes,
} from "./scopes.ts";
