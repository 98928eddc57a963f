import * as z from "zod";
import { newRoutes } from "../../http/env.ts";
import { idempotent } from "../../http/idempotency.ts";
import { noBody } from "../../http/json-body.ts";
import { noContent } from "../../http/no-content.ts";
import { operationsOf, responses } from "../../http/openapi.ts";
import { pageOrCursorQuery, refuseDeepPages, respondList } from "../../http/pagination.ts";
import { body, query } from "../../http/validate.ts";
import { createApiKey } from "./create.ts";
import { listApiKeys } from "./queries.ts";
import { revokeApiKey } from "./revoke.ts";
import { rotateApiKey } from "./rotate.ts";
import { ApiKeyIn, ApiKeyOut, NewApiKeyOut, toApiKey } from "./schema.ts";

const ListQuery = z.object(pageOrCursorQuery).superRefine(refuseDeepPages);

const operation = operationsOf("API keys");

export const apiKeyRoutes = newRoutes()
  .post(
    "/v1/api-keys/",
    operation("team:manage", "createApiKey", {
      summary: "Create an API key",
      description: "The key acts as the calling user, with at most the rights of the calling credential.",
      responses: responses(
        201,
        "The API key. `key` is shown in this response only",
        NewApiKeyOut,
        [403, 409, 413, 415],
      ),
    }),
    ...body(ApiKeyIn),
    idempotent(201),
    async (c) => c.json(await createApiKey(c.get("caller"), c.req.valid("json")), 201),
  )
  .get(
    "/v1/api-keys/",
    operation("team:view", "listApiKeys", {
      summary: "List API keys, newest first",
      responses: responses(200, "A page of API keys, revoked and expired ones included", z.array(ApiKeyOut), [403]),
    }),
    query(ListQuery),
    (c) => respondList(c, { read: listApiKeys, after: ({ id }) => id, serialize: toApiKey }),
  )
  .post(
    "/v1/api-keys/:api_key_id/rotate",
    operation("team:manage", "rotateApiKey", {
      summary: "Rotate an API key",
      description: "Only for the user who created it. The old key stays valid for 24 hours, or until it is revoked.",
      responses: responses(201, "The new API key. `key` is shown in this response only", NewApiKeyOut, [403, 404, 409]),
    }),
    noBody,
    idempotent(201),
    async (c) => c.json(await rotateApiKey(c.get("caller"), c.req.param("api_key_id")), 201),
  )
  .delete(
    "/v1/api-keys/:api_key_id",
    operation("team:manage", "revokeApiKey", {
      summary: "Revoke an API key",
      description: "Takes effect with the next request. Revoking again keeps the first `revoked_at`.",
      responses: responses(204, "Revoked", null, [403, 404]),
    }),
    (c) => noContent(c, revokeApiKey(c.get("caller"), c.req.param("api_key_id"))),
  );
