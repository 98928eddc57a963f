import { refreshMailboxSession, signOutOfMailbox } from "../../../access/mailbox-sessions/sessions.ts";
import { apiRoutes, outlives } from "../../../http/api-routes.ts";
import { clientOf } from "../../../http/env.ts";
import { readFields } from "../../../http/fields.ts";
import { fieldsBody } from "../../../http/openapi.ts";
import { RefreshIn, toWebmailTokens, WebmailLoginIn, WebmailTokens } from "./schema.ts";
import { signInToWebmail } from "./sign-in.ts";

/** Signing in to one mailbox by its password (docs/contract/sign-in.md#webmail-login). */
export const webmailRoutes = apiRoutes("Webmail")
  .post("/v1/webmail/login", "createMailboxSession", "public", outlives.nothing, {
    summary: "Sign in to a mailbox",
    description: "10 wrong passwords from one network, or 100 in all, are allowed for a mailbox in 15 minutes.",
    requestBody: fieldsBody(WebmailLoginIn),
    returns: { 200: ["The tokens", WebmailTokens] },
    errors: [413, 415],
    run: async (_caller, _input, c) => {
      const { email, password } = await readFields(c, WebmailLoginIn);
      return toWebmailTokens(await signInToWebmail(c.get("ctx"), { email, password, client: clientOf(c) }));
    },
  })
  .post("/v1/webmail/refresh", "refreshMailboxSession", "public", outlives.nothing, {
    summary: "Refresh a mailbox session",
    description:
      "A use within 30 seconds of the first one returns the same refresh token; a later one ends the session.",
    requestBody: fieldsBody(RefreshIn),
    returns: { 200: ["The tokens", WebmailTokens] },
    errors: [413, 415],
    run: async (_caller, _input, c) => {
      const { refresh_token } = await readFields(c, RefreshIn);
      return toWebmailTokens(await refreshMailboxSession(c.get("ctx"), refresh_token));
    },
  })
  .post("/v1/webmail/logout", "endMailboxSession", "public", outlives.nothing, {
    summary: "End a mailbox session",
    requestBody: fieldsBody(RefreshIn),
    returns: { 204: "Ended" },
    errors: [413, 415],
    run: async (_caller, _input, c) => signOutOfMailbox(c.get("ctx"), (await readFields(c, RefreshIn)).refresh_token),
  });
