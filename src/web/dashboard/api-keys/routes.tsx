import type { Context } from "hono";
import { Hono } from "hono";
import { listDomains } from "../../../domains/domains/index.ts";
import type { AppEnv } from "../../../http/env.ts";
import { readForm } from "../../../http/fields.ts";
import { onceForForm } from "../../../http/idempotency.ts";
import { respondPage } from "../../../http/page.tsx";
import { type Refusal, submitForm } from "../../../http/page-form.ts";
import { pageFor } from "../../../http/page-right.ts";
import { ConfirmPage } from "../../../http/ui/index.ts";
import {
  createApiKey,
  getVisibleApiKey,
  listApiKeys,
  revokeApiKey,
  rotateApiKey,
} from "../../../identity/api-keys/index.ts";
import { AppError } from "../../../lib/errors.ts";
import { emptyKeyForm, type KeyForm, readKeyForm, toKeyRequest } from "./form.ts";
import { ApiKeysPage, CreatedKeyPage } from "./page.tsx";

const PAGE_SIZE = 100;
/** Most domains that the form offers; the API takes any. */
const MAX_DOMAINS = 50;
const REVOKE = "DELETE /v1/api-keys/:api_key_id";

export const apiKeyPages = new Hono<AppEnv>()
  .get("/app/api-keys", ...pageFor("GET /v1/api-keys/"), (c) => showKeys(c))
  .post("/app/api-keys", ...pageFor("POST /v1/api-keys/"), async (c) => {
    const caller = c.get("caller");
    const form = readKeyForm(await readForm(c));
    const request = toKeyRequest(form, caller.now());
    if ("error" in request) return showKeys(c, { form, error: request.error, isCreation: true });
    const fields = JSON.stringify([form.name, form.access, form.scopes, form.domainIds, form.days]);
    try {
      const created = await onceForForm(c, form.idempotencyKey, fields, (ctx) => createApiKey(ctx, request.input));
      return respondPage(c, <CreatedKeyPage caller={caller} created={created} />);
    } catch (error) {
      if (!(error instanceof AppError) || error.status !== 422) throw error;
      return showKeys(c, { form, error: error.message, isCreation: true });
    }
  })
  .get("/app/api-keys/:api_key_id/revoke", ...pageFor(REVOKE), async (c) => {
    const caller = c.get("caller");
    const { name, prefix } = await getVisibleApiKey(caller, c.req.param("api_key_id"));
    return respondPage(
      c,
      <ConfirmPage title={`Revoke ${name}?`} caller={caller} button="Revoke key" back="/app/api-keys">
        Programs that use the key <span class="code">{prefix}…</span> are refused from their next request on. This
        cannot be undone.
      </ConfirmPage>,
    );
  })
  .post("/app/api-keys/:api_key_id/rotate", ...pageFor("POST /v1/api-keys/:api_key_id/rotate"), async (c) => {
    const id = c.req.param("api_key_id");
    const key = (await readForm(c)).get("idempotency_key") ?? "";
    return submitForm(
      c,
      async () => {
        await getVisibleApiKey(c.get("caller"), id);
        const created = await onceForForm(c, key, `rotate ${id}`, (ctx) => rotateApiKey(ctx, id));
        return respondPage(c, <CreatedKeyPage caller={c.get("caller")} created={created} isSuccessor />);
      },
      (refusal) =>
        showKeys(c, { form: emptyKeyForm(), error: refusal.message.replace(/\.$/, ""), status: refusal.status }),
    );
  })
  .post("/app/api-keys/:api_key_id/revoke", ...pageFor(REVOKE), async (c) => {
    await revokeApiKey(c.get("caller"), c.req.param("api_key_id"));
    return c.redirect("/app/api-keys?done=revoked", 303);
  });

interface SubmittedKey {
  form: KeyForm;
  error: string;
  status?: Refusal["status"];
  /** True when the error is about the form that creates a key. */
  isCreation?: boolean;
}

async function showKeys(c: Context<AppEnv>, submitted?: SubmittedKey) {
  const caller = c.get("caller");
  const after = c.req.query("after")?.toLowerCase();
  const [found, domains] = await Promise.all([
    listApiKeys(caller, { ...(after ? { after } : {}), offset: 0, limit: PAGE_SIZE + 1 }),
    caller.actor.scopes.has("domains:view") ? listDomains(caller, { offset: 0, limit: MAX_DOMAINS }) : [],
  ]);
  const keys = found.slice(0, PAGE_SIZE);
  const last = found.length > PAGE_SIZE ? keys.at(-1) : undefined;
  const page = (
    <ApiKeysPage
      caller={caller}
      keys={keys}
      domains={domains.map(({ domain: { id, name } }) => ({ id, name }))}
      next={last === undefined ? null : `?${new URLSearchParams({ after: last.id })}`}
      notice={c.req.query("done") === "revoked" ? "The key is revoked." : undefined}
      form={submitted?.form ?? emptyKeyForm()}
      error={submitted?.error}
      isCreation={submitted?.isCreation ?? false}
    />
  );
  return respondPage(c, page, { status: submitted ? (submitted.status ?? 422) : 200 });
}
