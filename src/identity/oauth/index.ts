export { deleteGrant, type GrantRow, getGrant, listGrants } from "./grants.ts";
export { protectedResourceMetadata } from "./metadata.ts";
export { UNUSED_CLIENT_TTL_MS } from "./rules.ts";
