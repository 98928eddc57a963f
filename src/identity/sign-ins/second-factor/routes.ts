import { apiRoutes, outlives } from "../../../http/api-routes.ts";
import { type AppContext, clientOf } from "../../../http/env.ts";
import { iso } from "../../../lib/time.ts";
import { reauthenticate } from "./reauthenticate.ts";
import { CodeIn, ReauthIn, ReauthOut, RecoveryCodesOut, TotpOut, TotpSetupOut } from "./schema.ts";
import { disableTotp, enableTotp, setUpTotp } from "./settings.ts";

const ipOf = (c: AppContext) => clientOf(c).ip;

/** TOTP of the signed-in user, and proving the identity again (docs/contract/sign-in.md#second-factor). */
export const secondFactorRoutes = apiRoutes("Sessions")
  .post("/v1/auth/totp/setup", "createTotpSecret", "session", outlives.credential, {
    summary: "Set up two-factor authentication",
    description: "The secret has no effect until it is enabled with a code. A new call replaces it.",
    once: false,
    returns: { 200: ["The secret. It is shown in this response only", TotpSetupOut] },
    errors: [409],
    run: (caller) => setUpTotp(caller),
  })
  .post("/v1/auth/totp/enable", "addTotp", "session", outlives.credential, {
    summary: "Turn two-factor authentication on",
    body: CodeIn,
    once: false,
    returns: { 200: ["Ten recovery codes, shown in this response only", RecoveryCodesOut] },
    errors: [409],
    run: async (caller, { body }, c) => ({ recovery_codes: await enableTotp(caller, body.code, ipOf(c)) }),
  })
  .post("/v1/auth/totp/disable", "removeTotp", "session", outlives.credential, {
    summary: "Turn two-factor authentication off",
    body: CodeIn,
    once: false,
    returns: { 200: ["It is off", TotpOut] },
    errors: [409],
    run: async (caller, { body }, c) => {
      await disableTotp(caller, body.code, ipOf(c));
      return { enabled: false };
    },
  })
  .post("/v1/auth/reauth", "verifyIdentity", "session", outlives.credential, {
    summary: "Prove your identity again",
    description:
      "Stamps the session. Give a TOTP code or, without two-factor authentication, the token of a fresh sign-in link: the " +
      "last part of its URL.",
    body: ReauthIn,
    once: false,
    returns: { 200: ["The session is stamped", ReauthOut] },
    run: async (caller, { body }, c) => ({ reauthenticated_at: iso(await reauthenticate(caller, body, ipOf(c))) }),
  });
