import { listDomains } from "../../../domains/domains/index.ts";
import { type AppContext, newRoutes } from "../../../http/env.ts";
import { readPage, respondPage } from "../../../http/page.tsx";
import { onceForForm, pageFor, submitForm } from "../../../http/page-routes.ts";
import { ConfirmPage } from "../../../http/ui/index.ts";
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
const REVOKE = "DELETE /v1/api-keys/:api_key_id";

export const apiKeyPages = newRoutes()
  .get("/app/api-keys", ...pageFor("GET /v1/api-keys/"), showKeys)
  .post("/app/api-keys", ...pageFor("POST /v1/api-keys/"), (c) =>
    submitForm(c, showKeys, async (fields) => {
      const input = toKeyRequest(fields, c.get("caller").now());
      const created = await onceForForm(c, (ctx) => createApiKey(ctx, input));
      return respondPage(c, <CreatedKeyPage created={created} />);
    }),
  )
  .get("/app/api-keys/:api_key_id/revoke", ...pageFor(REVOKE), async (c) => {
    const { name, prefix } = await getVisibleApiKey(c.get("caller"), c.req.param("api_key_id"));
    return respondPage(
      c,
      <ConfirmPage title={`Revoke ${name}?`} button="Revoke key" back="/app/api-keys">
        Programs that use the key <span class="code">{prefix}…</span> are refused from their next request on. This
        cannot be undone.
      </ConfirmPage>,
    );
  })
  .post("/app/api-keys/:api_key_id/rotate", ...pageFor("POST /v1/api-keys/:api_key_id/rotate"), (c) =>
    submitForm(c, showKeys, async () => {
      const id = c.req.param("api_key_id");
      await getVisibleApiKey(c.get("caller"), id);
      const created = await onceForForm(c, (ctx) => rotateApiKey(ctx, id));
      return respondPage(c, <CreatedKeyPage created={created} isSuccessor />);
    }),
  )
  .post("/app/api-keys/:api_key_id/revoke", ...pageFor(REVOKE), async (c) => {
    await revokeApiKey(c.get("caller"), c.req.param("api_key_id"));
    return c.redirect("/app/api-keys?done=revoked", 303);
  });

async function showKeys(c: AppContext) {
  const caller = c.get("caller");
  const [{ rows: keys, next }, domains] = await Promise.all([
    readPage(c, { path: "/app/api-keys", read: listApiKeys, after: ({ id }) => id }),
    caller.actor.scopes.has("domains:view") ? listDomains(caller, { offset: 0, limit: MAX_DOMAINS }) : [],
  ]);
  const page = <ApiKeysPage keys={keys} domains={domains.map(({ domain }) => domain)} next={next} />;
  return respondPage(c, page, { notices: { revoked: "The key is revoked." } });
}
