export { type AccessTokenKind, signAccessToken, verifyAccessToken } from "./access-token.ts";
export { activeAccessToken } from "./active-access-token.ts";
export { authenticatePage, authenticateSession, invalidSession } from "./authenticate.ts";
export { getSession, listSessions, type SessionRow } from "./queries.ts";
export { refreshSession } from "./refresh.ts";
export { revokeSession } from "./revoke.ts";
export { signOut } from "./sign-out.ts";
export { type Client, newSession, type SessionTokens } from "./start.ts";
export { switchWorkspace } from "./switch-workspace.ts";
