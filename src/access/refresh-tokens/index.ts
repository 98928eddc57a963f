export { deleteFamiliesStatement, findFamily, issueRefreshToken, type RefreshTokenKind } from "./issue.ts";
export { type Rotation, rotateRefreshToken } from "./rotate.ts";
export { GRACE_MS, REFRESH_TOKEN_TTL_MS } from "./rules.ts";
