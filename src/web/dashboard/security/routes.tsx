import type { Context } from "hono";
import { Hono } from "hono";
import * as z from "zod";
import { getSession, listSessions } from "../../../access/sessions/queries.ts";
import { revokeSession } from "../../../access/sessions/revoke.ts";
import { clientOf } from "../../../http/client.ts";
import type { AppEnv } from "../../../http/env.ts";
import { readFields } from "../../../http/fields.ts";
import { respondPage } from "../../../http/page.tsx";
import { pageFor } from "../../../http/page-right.ts";
import { ConfirmPage, Time } from "../../../http/ui/index.ts";
import { disableTotp, enableTotp, readTotpStatus, setUpTotp } from "../../../identity/sign-ins/index.ts";
import { AppError } from "../../../lib/errors.ts";
import { deleteAccountPages } from "./delete-account.tsx";
import { RecoveryCodesPage, SecurityPage, TotpSetupPage } from "./page.tsx";

const PAGE_SIZE = 100;
const REVOKE = "DELETE /v1/sessions/:session_id";

const CodeForm = z.object({ code: z.string().max(64) });

const notices: Readonly<Record<string, string>> = {
  ended: "The session is ended.",
  "totp-off": "Two-factor authentication is off.",
};

export const securityPages = new Hono<AppEnv>()
  .route("/", deleteAccountPages)
  .get("/app/security", ...pageFor("GET /v1/sessions/"), (c) => showSecurity(c))
  .post("/app/security/totp/setup", ...pageFor("POST /v1/auth/totp/setup"), async (c) => {
    const caller = c.get("caller");
    return respondPage(c, <TotpSetupPage caller={caller} secret={await setUpTotp(caller)} />);
  })
  .post("/app/security/totp/enable", ...pageFor("POST /v1/auth/totp/enable"), async (c) => {
    const caller = c.get("caller");
    const { code } = await readFields(c, CodeForm);
    try {
      const codes = await enableTotp(caller, code, clientOf(c).ip);
      return respondPage(c, <RecoveryCodesPage caller={caller} codes={codes} />);
    } catch (error) {
      const { message, status } = refusedCode(error);
      return respondPage(c, <TotpSetupPage caller={caller} secret={null} error={message} />, { status });
    }
  })
  .post("/app/security/totp/disable", ...pageFor("POST /v1/auth/totp/disable"), async (c) => {
    const { code } = await readFields(c, CodeForm);
    try {
      await disableTotp(c.get("caller"), code, clientOf(c).ip);
    } catch (error) {
      return showSecurity(c, refusedCode(error));
    }
    return c.redirect("/app/security?done=totp-off", 303);
  })
  .get("/app/security/sessions/:session_id/revoke", ...pageFor(REVOKE), async (c) => {
    const caller = c.get("caller");
    const { createdAt, userAgent } = await getSession(caller, c.req.param("session_id"));
    return respondPage(
      c,
      <ConfirmPage title="End this session?" caller={caller} button="End session" back="/app/security">
        The browser that signed in at <Time at={createdAt} as="whole" /> has to sign in again: {userAgent ?? "unknown"}.
      </ConfirmPage>,
    );
  })
  .post("/app/security/sessions/:session_id/revoke", ...pageFor(REVOKE), async (c) => {
    await revokeSession(c.get("caller"), c.req.param("session_id"));
    return c.redirect("/app/security?done=ended", 303);
  });

/** Returns what to show beside the form for a code that is wrong, or one too many. Throws every other error. */
function refusedCode(error: unknown): { message: string; status: 422 | 429 } {
  if (!(error instanceof AppError) || (error.status !== 403 && error.status !== 429)) throw error;
  return { message: error.message, status: error.status === 403 ? 422 : 429 };
}

async function showSecurity(c: Context<AppEnv>, refused?: { message: string; status: 422 | 429 }) {
  const caller = c.get("caller");
  const after = c.req.query("after")?.toLowerCase();
  const [found, totp] = await Promise.all([
    listSessions(caller, { ...(after ? { after } : {}), limit: PAGE_SIZE + 1 }),
    readTotpStatus(caller),
  ]);
  const sessions = found.slice(0, PAGE_SIZE);
  const last = found.length > PAGE_SIZE ? sessions.at(-1) : undefined;
  const page = (
    <SecurityPage
      caller={caller}
      sessions={sessions}
      next={last === undefined ? null : `?${new URLSearchParams({ after: last.id })}`}
      totp={totp}
      notice={notices[c.req.query("done") ?? ""]}
      {...(refused ? { error: refused.message } : {})}
    />
  );
  return respondPage(c, page, { status: refused?.status ?? 200 });
}
