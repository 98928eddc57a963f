import type { ContentfulStatusCode } from "hono/utils/http-status";
import { type AppContext, newRoutes } from "../../../http/env.ts";
import { respondPage } from "../../../http/page.tsx";
import { readForm } from "../../../http/page-routes.ts";
import { pageSession } from "../../../http/page-session.ts";
import { AppError } from "../../../lib/errors.ts";
import { approve, listWorkspaceChoices } from "../approve.ts";
import {
  AuthorizationRefusal,
  type AuthorizationRequest,
  type ReturnTarget,
  readAuthorizationRequest,
  responseUri,
} from "../authorization-request.ts";
import { formActionOf, OAuthError } from "../rules.ts";
import { ConsentPage, RefusedPage } from "./page.tsx";

/** The authorization endpoint (RFC 6749 3.1): the consent page and its form. */
export const consentRoutes = newRoutes()
  .get("/oauth/authorize", pageSession, (c) => withRequest(c, (request) => showConsent(c, request)))
  .post("/oauth/authorize", pageSession, (c) =>
    withRequest(c, async (request) => {
      const form = await readForm(c);
      if (form.get("decision") !== "allow") return sendBack(c, request, { error: "access_denied" });
      const scopes = request.scopes.filter((scope) => form.getAll("scope").includes(scope));
      if (scopes.length === 0) return showConsent(c, request, "Select at least one permission, or refuse");
      const { actor, clientIp } = c.get("caller");
      const workspaceId = form.get("workspace") ?? "";
      const code = await approve(c.get("ctx"), request, { actor, clientIp, workspaceId, scopes });
      return sendBack(c, request, { code });
    }),
  );

/** Runs `next` with the request of the query. Errors go to the client (RFC 6749 4.1.2.1), or on a page unless its redirect URI is valid. */
async function withRequest(c: AppContext, next: (request: AuthorizationRequest) => Promise<Response>) {
  const ctx = c.get("ctx");
  try {
    return await next(await readAuthorizationRequest(ctx, new URL(c.req.url).searchParams));
  } catch (error) {
    if (error instanceof AuthorizationRefusal)
      return sendBack(c, error.target, { error: error.code, error_description: error.message });
    if (!(error instanceof OAuthError || error instanceof AppError)) throw error;
    const status = error instanceof AppError ? (error.status as ContentfulStatusCode) : 400;
    return respondPage(c, <RefusedPage reason={error.message} />, { status });
  }
}

async function showConsent(c: AppContext, request: AuthorizationRequest, error?: string) {
  const { actor, workspace } = c.get("caller");
  const workspaces = await listWorkspaceChoices(c.get("ctx"), actor.userId);
  const page = (
    <ConsentPage
      request={request}
      email={actor.email}
      workspaces={workspaces}
      activeWorkspaceId={workspace.id}
      error={error ?? null}
    />
  );
  // Browsers apply form-action to the redirect that returns the form, so it also names the client's origin.
  const formTargets = [formActionOf(request.redirectUri)];
  return respondPage(c, page, { status: error === undefined ? 200 : 422, formTargets });
}

/** Sends the user to the client with a response. 303: the form must not be posted to the client (RFC 9700 4.12). */
function sendBack(c: AppContext, target: ReturnTarget, response: Record<string, string>): Response {
  return c.redirect(responseUri(c.get("ctx"), target, response), 303);
}
