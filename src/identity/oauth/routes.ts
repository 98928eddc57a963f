import * as z from "zod";
import { apiRoutes, outlives } from "../../http/api-routes.ts";
import type { AppContext } from "../../http/env.ts";
import { readFields } from "../../http/fields.ts";
import { needs } from "../../http/needs.ts";
import { readForm } from "../../http/page-routes.ts";
import { anyCursorQuery, respondList } from "../../http/pagination.ts";
import { addressLimit } from "../../http/rate-limit.ts";
import { AppError, onError } from "../../lib/errors.ts";
import { registerClient } from "./clients.ts";
import { deleteGrant, listGrants } from "./grants.ts";
import { authorizationServerMetadata, protectedResourceMetadata } from "./metadata.ts";
import { revokeToken } from "./revoke-token.ts";
import { OAuthError, REGISTRATIONS_PER_HOUR } from "./rules.ts";
import { ClientIn, GrantOut, toClientInformation, toGrant } from "./schema.ts";
import { handleTokenRequest, requiredField } from "./token-request.ts";

/** The endpoints that programs call. Their forms are those of the RFCs, so the metadata describes them, not OpenAPI. */
export const oauthRoutes = apiRoutes("OAuth grants")
  .get("/v1/oauth/grants", "listGrants", "session", {
    summary: "List your OAuth grants, newest first",
    description: "A grant lets one client, such as an assistant, act for you in one workspace.",
    query: z.object(anyCursorQuery),
    returns: { 200: ["A page of grants that have not ended", z.array(GrantOut)] },
    run: (_caller, { query }, c) =>
      respondList(c, query, { read: listGrants, after: ({ id }) => id, serialize: toGrant }),
  })
  .delete("/v1/oauth/grants/:grant_id", "revokeGrant", "session", outlives.nothing, {
    summary: "End an OAuth grant",
    description: "Its tokens are invalid from the next request on.",
    returns: { 204: "Ended" },
    run: (caller, { grant_id }) => deleteGrant(caller, grant_id),
  })
  .app.get("/.well-known/oauth-authorization-server", needs("public"), (c) =>
    c.json(authorizationServerMetadata(c.get("ctx").settings)),
  )
  .get("/.well-known/oauth-protected-resource", needs("public"), (c) =>
    c.json(protectedResourceMetadata(c.get("ctx").settings, "")),
  )
  .post("/oauth/register", needs("public"), addressLimit("client-registrations", REGISTRATIONS_PER_HOUR), (c) =>
    respond(c, async () => c.json(toClientInformation(await registerClient(c.get("ctx"), await readClient(c))), 201)),
  )
  .post("/oauth/token", needs("public"), (c) =>
    respond(c, async () => c.json(await handleTokenRequest(c.get("ctx"), await readOAuthForm(c)))),
  )
  .post("/oauth/revoke", needs("public"), (c) =>
    respond(c, async () => {
      const form = await readOAuthForm(c);
      const clientId = requiredField(form, "client_id").toLowerCase();
      await revokeToken(c.get("ctx"), clientId, requiredField(form, "token"));
      return c.body(null, 200);
    }),
  );

/** Runs an endpoint and turns its OAuthError into a response (RFC 6749 5.2). */
const respond = (c: AppContext, run: () => Promise<Response>): Promise<Response> =>
  run().catch(
    onError(OAuthError, ({ code, message, status }) => c.json({ error: code, error_description: message }, status)),
  );

/** Reads the metadata of a client. Throws OAuthError with the codes of RFC 7591 3.2.2. */
async function readClient(c: AppContext): Promise<ClientIn> {
  try {
    return await readFields(c, ClientIn);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const [first] = Array.isArray(error.detail) ? error.detail : [];
    const field = first?.loc.slice(1).join(".");
    const code = first?.loc[1] === "redirect_uris" ? "invalid_redirect_uri" : "invalid_client_metadata";
    throw new OAuthError(code, first ? `${field ? `${field}: ` : ""}${first.msg}` : error.message);
  }
}

/** Reads the form of a request. Throws OAuthError invalid_request. */
const readOAuthForm = (c: AppContext): Promise<URLSearchParams> =>
  readForm(c).catch(onError(AppError, ({ message }) => Promise.reject(new OAuthError("invalid_request", message))));
