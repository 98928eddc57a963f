import { Hono } from "hono";
import { describeRoute } from "hono-openapi";
import type { Ctx } from "../../context.ts";
import { tooManyRequests, unauthorized } from "../../errors.ts";
import { clientOf } from "../../http/client.ts";
import type { AppEnv } from "../../http/env.ts";
import { readFields } from "../../http/fields.ts";
import { fieldsBody, responses } from "../../http/openapi.ts";
import { parseAddress } from "../../lib/addresses.ts";
import { refreshMailboxSession, signInToMailbox, signOutOfMailbox } from "../../mailbox-sessions/index.ts";
import { countFailure, formatPolicy } from "../../rate-limits/index.ts";
import { failureLimits } from "../rules.ts";
import { RefreshIn, toWebmailTokens, WebmailLoginIn, WebmailTokens } from "./schema.ts";

const common = { tags: ["Webmail"], security: [] };

/** Counts an attempt to sign in to a mailbox as a failure until it succeeds. Throws 429 (decisions 1). */
async function countAttempt(ctx: Ctx, email: string, ip: string | null) {
  const target = `webmail ${parseAddress(email)?.key ?? "invalid"}`;
  const { exceeded, succeeded } = await countFailure(ctx, failureLimits(target, ip));
  if (!exceeded) return succeeded;
  const seconds = exceeded.retryAfterSeconds;
  throw tooManyRequests(
    `Too many wrong passwords; retry in ${seconds} seconds`,
    seconds,
    formatPolicy(exceeded.policy),
  );
}

/** Signing in to one mailbox by its password (decisions 5). */
export const webmailRoutes = new Hono<AppEnv>()
  .post(
    "/v1/webmail/login",
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
      const client = clientOf(c);
      const succeeded = await countAttempt(c.get("ctx"), email, client.ip);
      const tokens = await signInToMailbox(c.get("ctx"), { email, password, client });
      if (!tokens) throw unauthorized("The address or the password is wrong");
      await succeeded();
      return c.json(toWebmailTokens(tokens));
    },
  )
  .post(
    "/v1/webmail/refresh",
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
