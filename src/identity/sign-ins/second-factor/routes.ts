import { type AppContext, clientOf, newRoutes } from "../../../http/env.ts";
import { noBody } from "../../../http/json-body.ts";
import { operationsOf, responses } from "../../../http/openapi.ts";
import { body } from "../../../http/validate.ts";
import { iso } from "../../../lib/time.ts";
import { reauthenticate } from "./reauthenticate.ts";
import { CodeIn, ReauthIn, ReauthOut, RecoveryCodesOut, TotpOut, TotpSetupOut } from "./schema.ts";
import { disableTotp, enableTotp, setUpTotp } from "./settings.ts";

const ipOf = (c: AppContext) => clientOf(c).ip;
const security = [{ session: [] }];

const operation = operationsOf("Sessions");

/** TOTP of the signed-in user, and proving the identity again (docs/contract/sign-in.md#second-factor). */
export const secondFactorRoutes = newRoutes()
  .post(
    "/v1/auth/totp/setup",
    operation("session", "createTotpSecret", {
      summary: "Set up two-factor authentication",
      description: "The secret has no effect until it is enabled with a code. A new call replaces it.",
      security,
      responses: responses(200, "The secret. It is shown in this response only", TotpSetupOut, [403, 409]),
    }),
    noBody,
    async (c) => c.json(await setUpTotp(c.get("caller"))),
  )
  .post(
    "/v1/auth/totp/enable",
    operation("session", "addTotp", {
      summary: "Turn two-factor authentication on",
      security,
      responses: responses(
        200,
        "Ten recovery codes, shown in this response only",
        RecoveryCodesOut,
        [403, 409, 413, 415],
      ),
    }),
    ...body(CodeIn),
    async (c) => c.json({ recovery_codes: await enableTotp(c.get("caller"), c.req.valid("json").code, ipOf(c)) }),
  )
  .post(
    "/v1/auth/totp/disable",
    operation("session", "removeTotp", {
      summary: "Turn two-factor authentication off",
      security,
      responses: responses(200, "It is off", TotpOut, [403, 409, 413, 415]),
    }),
    ...body(CodeIn),
    async (c) => {
      await disableTotp(c.get("caller"), c.req.valid("json").code, ipOf(c));
      return c.json({ enabled: false });
    },
  )
  .post(
    "/v1/auth/reauth",
    operation("session", "verifyIdentity", {
      summary: "Prove your identity again",
      description:
        "Stamps the session. Give a TOTP code or, without two-factor authentication, the token of a fresh sign-in link: the " +
        "last part of its URL.",
      security,
      responses: responses(200, "The session is stamped", ReauthOut, [403, 413, 415]),
    }),
    ...body(ReauthIn),
    async (c) =>
      c.json({ reauthenticated_at: iso(await reauthenticate(c.get("caller"), c.req.valid("json"), ipOf(c))) }),
  );
