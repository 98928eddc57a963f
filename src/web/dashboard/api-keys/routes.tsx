import { listDomains } from "../../../domains/domains/index.ts";
import { readPage, respondPage } from "../../../http/page.tsx";
import { creation, page, pagesOf, question } from "../../../http/page-actions.tsx";
import {
  createApiKey,
  getVisibleApiKey,
  listApiKeys,
  revokeApiKey,
  rotateApiKey,
} from "../../../identity/api-keys/index.ts";
import { toKeyRequest } from "./form.ts";
import { ApiKeysPage, CreatedKeyPage } from "./page.tsx";

/** Most domains that the form offers; the API takes any. */
const MAX_DOMAINS = 50;

export const apiKeyPages = pagesOf(
  "key",
  page("/app/api-keys", "GET /v1/api-keys/", async (c) => {
    const caller = c.get("caller");
    const [{ rows: keys, next }, domains] = await Promise.all([
      readPage(c, { path: "/app/api-keys", read: listApiKeys, after: ({ id }) => id }),
      caller.actor.scopes.has("domains:view") ? listDomains(caller, { offset: 0, limit: MAX_DOMAINS }) : [],
    ]);
    const shown = <ApiKeysPage keys={keys} domains={domains.map(({ domain }) => domain)} />;
    return respondPage(c, shown, { next, nextLabel: "Older keys" });
  }),
  creation("/app/api-keys", "POST /v1/api-keys/", {
    read: (fields, c) => toKeyRequest(fields, c.get("caller").now()),
    run: createApiKey,
    to: (created, c) => respondPage(c, <CreatedKeyPage created={created} />),
  }),
  creation("/app/api-keys/:api_key_id/rotate", "POST /v1/api-keys/:api_key_id/rotate", {
    // An unknown API key is a 404 also without an Idempotency-Key.
    read: (_, c) => getVisibleApiKey(c.get("caller"), c.req.param("api_key_id") ?? ""),
    run: (ctx, id) => rotateApiKey(ctx, id),
    to: (created, c) => respondPage(c, <CreatedKeyPage created={created} isSuccessor />),
  }),
  question("/app/api-keys/:api_key_id/revoke", "DELETE /v1/api-keys/:api_key_id", {
    of: getVisibleApiKey,
    title: ({ name }) => `Revoke ${name}?`,
    button: "Revoke key",
    text: ({ prefix }) => (
      <>
        Programs that use the key <span class="code">{prefix}…</span> are refused from their next request on. This
        cannot be undone.
      </>
    ),
    run: revokeApiKey,
    done: { revoked: "The key is revoked." },
  }),
);
