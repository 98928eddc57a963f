export { createApiKey } from "./create.ts";
export { type ApiKeyRow, getVisibleApiKey, listApiKeys } from "./queries.ts";
export { revokeApiKey } from "./revoke.ts";
export { rotateApiKey } from "./rotate.ts";
export { ApiKeyIn, type NewApiKeyOut } from "./schema.ts";
