import * as z from "zod";
import { apiRoutes, outlives } from "../../http/api-routes.ts";
import { pageOrCursorQuery, refuseDeepPages, respondList } from "../../http/pagination.ts";
import { createApiKey } from "./create.ts";
import { listApiKeys } from "./queries.ts";
import { revokeApiKey } from "./revoke.ts";
import { rotateApiKey } from "./rotate.ts";
import { ApiKeyIn, ApiKeyOut, NewApiKeyOut, toApiKey } from "./schema.ts";

const ListQuery = z.object(pageOrCursorQuery).superRefine(refuseDeepPages);

export const apiKeyRoutes = apiRoutes("API keys")
  .post("/v1/api-keys/", "createApiKey", "team:manage", outlives.credential, {
    summary: "Create an API key",
    description: "The key acts as the calling user, with at most the rights of the calling credential.",
    body: ApiKeyIn,
    returns: { 201: ["The API key. `key` is shown in this response only", NewApiKeyOut] },
    run: (caller, { body }) => createApiKey(caller, body),
  })
  .get("/v1/api-keys/", "listApiKeys", "team:view", {
    summary: "List API keys, newest first",
    query: ListQuery,
    reads: outlives.credential,
    returns: { 200: ["A page of API keys, revoked and expired ones included", z.array(ApiKeyOut)] },
    run: (_caller, { query }, c) =>
      respondList(c, query, { read: listApiKeys, after: ({ id }) => id, serialize: toApiKey }),
  })
  .post("/v1/api-keys/:api_key_id/rotate", "rotateApiKey", "team:manage", outlives.credential, {
    summary: "Rotate an API key",
    description: "Only for the user who created it. The old key stays valid for 24 hours, or until it is revoked.",
    returns: { 201: ["The new API key. `key` is shown in this response only", NewApiKeyOut] },
    run: (caller, { api_key_id }) => rotateApiKey(caller, api_key_id),
  })
  .delete("/v1/api-keys/:api_key_id", "revokeApiKey", "team:manage", outlives.nothing, {
    summary: "Revoke an API key",
    description: "Takes effect with the next request. Revoking again keeps the first `revoked_at`.",
    returns: { 204: "Revoked" },
    run: (caller, { api_key_id }) => revokeApiKey(caller, api_key_id),
  });
