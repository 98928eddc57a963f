export { authenticateAccessToken } from "./authenticate.ts";
export { type IssuedAccessToken, issueAccessToken } from "./issue-access-token.ts";
export { deleteFamiliesStatement, findFamily, issueRefreshToken } from "./issue-refresh-token.ts";
export { findOneTimeToken, issueOneTimeToken, redeemStatements } from "./one-time-tokens.ts";
export { rotateRefreshToken } from "./rotate-refresh-token.ts";
export { ACCESS_TOKEN_PURPOSE, GRACE_MS, isAccessToken, isOwnResource, REFRESH_TOKEN_TTL_MS } from "./rules.ts";
