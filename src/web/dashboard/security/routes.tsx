import * as z from "zod";
import { getSession, listSessions } from "../../../access/sessions/queries.ts";
import { revokeSession } from "../../../access/sessions/revoke.ts";
import { type AppContext, clientOf, newRoutes } from "../../../http/env.ts";
import { readFields } from "../../../http/fields.ts";
import { readPage, respondPage } from "../../../http/page.tsx";
import { attempt, pageFor } from "../../../http/page-routes.ts";
import { ConfirmPage, Time } from "../../../http/ui/index.ts";
import {
  disableTotp,
  enableTotp,
  listLinkedAccounts,
  readTotpStatus,
  setUpTotp,
  unlinkAccount,
} from "../../../identity/sign-ins/index.ts";
import { AppError } from "../../../lib/errors.ts";
import { deleteAccountPages } from "./delete-account.tsx";
import { RecoveryCodesPage, SecurityPage, TotpSetupPage } from "./page.tsx";
import { proofPages } from "./proof.tsx";

const REVOKE = "DELETE /v1/sessions/:session_id";

const CodeForm = z.object({ code: z.string().max(64) });

const notices: Readonly<Record<string, string>> = {
  ended: "The session is ended.",
  proven: "You have proved your identity for five minutes.",
  "totp-off": "Two-factor authentication is off.",
  unlinked: "The account is unlinked.",
};

export const securityPages = newRoutes()
  .route("/", deleteAccountPages)
  .route("/", proofPages)
  .get("/app/security", ...pageFor("GET /v1/sessions/"), showSecurity)
  .post("/app/security/totp/setup", ...pageFor("POST /v1/auth/totp/setup"), async (c) =>
    respondPage(c, <TotpSetupPage secret={await setUpTotp(c.get("caller"))} />),
  )
  .post("/app/security/totp/enable", ...pageFor("POST /v1/auth/totp/enable"), async (c) => {
    const { code } = await readFields(c, CodeForm);
    const show = () => respondPage(c, <TotpSetupPage secret={null} />);
    return attempt(c, show, async () => {
      const codes = await enableTotp(c.get("caller"), code, clientOf(c).ip).catch(refuseCode);
      return respondPage(c, <RecoveryCodesPage codes={codes} />);
    });
  })
  .post("/app/security/totp/disable", ...pageFor("POST /v1/auth/totp/disable"), async (c) => {
    const { code } = await readFields(c, CodeForm);
    return attempt(c, showSecurity, async () => {
      await disableTotp(c.get("caller"), code, clientOf(c).ip).catch(refuseCode);
      return "/app/security?done=totp-off";
    });
  })
  .get("/app/security/sessions/:session_id/revoke", ...pageFor(REVOKE), async (c) => {
    const { createdAt, userAgent } = await getSession(c.get("caller"), c.req.param("session_id"));
    return respondPage(
      c,
      <ConfirmPage title="End this session?" button="End session" back="/app/security">
        The browser that signed in at <Time at={createdAt} as="whole" /> has to sign in again: {userAgent ?? "unknown"}.
      </ConfirmPage>,
    );
  })
  .post("/app/security/sessions/:session_id/revoke", ...pageFor(REVOKE), async (c) => {
    await revokeSession(c.get("caller"), c.req.param("session_id"));
    return c.redirect("/app/security?done=ended", 303);
  })
  .post("/app/security/accounts/:provider/:subject/unlink", ...pageFor(REVOKE), async (c) => {
    await unlinkAccount(c.get("caller"), c.req.param("provider"), c.req.param("subject"));
    return c.redirect("/app/security?done=unlinked", 303);
  });

/** Throws the error of a wrong code as one that its form explains. */
function refuseCode(error: unknown): never {
  if (error instanceof AppError && error.status === 403) throw new AppError(422, error.message);
  throw error;
}

async function showSecurity(c: AppContext) {
  const [{ rows: sessions, next }, totp, accounts] = await Promise.all([
    readPage(c, { path: "/app/security", read: listSessions, after: ({ id }) => id }),
    readTotpStatus(c.get("caller")),
    listLinkedAccounts(c.get("caller")),
  ]);
  const page = <SecurityPage sessions={sessions} next={next} totp={totp} accounts={accounts} />;
  return respondPage(c, page, { notices });
}
