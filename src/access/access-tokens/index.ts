export { authenticateAccessToken } from "./authenticate.ts";
export { type IssuedAccessToken, issueAccessToken } from "./issue.ts";
export { ACCESS_TOKEN_PURPOSE, isAccessToken, isOwnResource } from "./rules.ts";
