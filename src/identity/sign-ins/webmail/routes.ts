import { Hono } from "hono";
import { describeRoute } from "hono-openapi";
import { refreshMailboxSession, signOutOfMailbox } from "../../../access/mailbox-sessions/index.ts";
import { clientOf } from "../../../http/client.ts";
import type { AppEnv } from "../../../http/env.ts";
import { readFields } from "../../../http/fields.ts";
import { needs } from "../../../http/needs.ts";
import { fieldsBody, responses } from "../../../http/openapi.ts";
import { RefreshIn, toWebmailTokens, WebmailLoginIn, WebmailTokens } from "./schema.ts";
import { signInToWebmail } from "./sign-in.ts";

const common = { tags: ["Webmail"] };

/** Signing in to one mailbox by its password (docs/contract/sign-in.md#webmail-login). */
export const webmailRoutes = new Hono<AppEnv>()
  .post(
    "/v1/webmail/login",
    needs("public"),
    describeRoute({
      operationId: "createMailboxSession",
      summary: "Sign in to a mailbox",
      description: "10 wrong passwords from one network, or 100 in all, are allowed for a mailbox in 15 minutes.",
      ...common,
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
    needs("public"),
    describeRoute({
      operationId: "refreshMailboxSession",
      summary: "Refresh a mailbox session",
      description:
        "A use within 30 seconds of the first one returns the same refresh token; a later one ends the session.",
      ...common,
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
    needs("public"),
    describeRoute({
      operationId: "endMailboxSession",
      summary: "End a mailbox session",
      ...common,
      requestBody: fieldsBody(RefreshIn),
      responses: responses(204, "Ended", null, [413, 415]),
    }),
    async (c) => {
      await signOutOfMailbox(c.get("ctx"), (await readFields(c, RefreshIn)).refresh_token);
      return c.body(null, 204);
    },
  );
