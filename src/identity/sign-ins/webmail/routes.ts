import { refreshMailboxSession, signOutOfMailbox } from "../../../access/mailbox-sessions/sessions.ts";
import { clientOf, newRoutes } from "../../../http/env.ts";
import { readFields } from "../../../http/fields.ts";
import { noContent } from "../../../http/no-content.ts";
import { fieldsBody, operationsOf, responses } from "../../../http/openapi.ts";
import { RefreshIn, toWebmailTokens, WebmailLoginIn, WebmailTokens } from "./schema.ts";
import { signInToWebmail } from "./sign-in.ts";

const operation = operationsOf("Webmail");

/** Signing in to one mailbox by its password (docs/contract/sign-in.md#webmail-login). */
export const webmailRoutes = newRoutes()
  .post(
    "/v1/webmail/login",
    operation("public", "createMailboxSession", {
      summary: "Sign in to a mailbox",
      description: "10 wrong passwords from one network, or 100 in all, are allowed for a mailbox in 15 minutes.",
      requestBody: fieldsBody(WebmailLoginIn),
      responses: responses(200, "The tokens", WebmailTokens, [413, 415]),
    }),
    async (c) => {
      const { email, password } = await readFields(c, WebmailLoginIn);
      return c.json(toWebmailTokens(await signInToWebmail(c.get("ctx"), { email, password, client: clientOf(c) })));
    },
  )
  .post(
    "/v1/webmail/refresh",
    operation("public", "refreshMailboxSession", {
      summary: "Refresh a mailbox session",
      description:
        "A use within 30 seconds of the first one returns the same refresh token; a later one ends the session.",
      requestBody: fieldsBody(RefreshIn),
      responses: responses(200, "The tokens", WebmailTokens, [413, 415]),
    }),
    async (c) => {
      const { refresh_token } = await readFields(c, RefreshIn);
      return c.json(toWebmailTokens(await refreshMailboxSession(c.get("ctx"), refresh_token)));
    },
  )
  .post(
    "/v1/webmail/logout",
    operation("public", "endMailboxSession", {
      summary: "End a mailbox session",
      requestBody: fieldsBody(RefreshIn),
      responses: responses(204, "Ended", null, [413, 415]),
    }),
    async (c) => noContent(c, signOutOfMailbox(c.get("ctx"), (await readFields(c, RefreshIn)).refresh_token)),
  );
