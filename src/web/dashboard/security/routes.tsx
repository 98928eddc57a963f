import * as z from "zod";
import { getSession, listSessions } from "../../../access/sessions/queries.ts";
import { revokeSession, revokeSessions } from "../../../access/sessions/revoke.ts";
import { deleteCookies } from "../../../http/cookies.ts";
import { type AppContext, clientOf } from "../../../http/env.ts";
import { inputOf } from "../../../http/form-input.ts";
import { readPage, respondPage } from "../../../http/page.tsx";
import { button, change, page, pagesOf, question } from "../../../http/page-actions.tsx";
import { Time } from "../../../http/ui/index.ts";
import {
  disableTotp,
  enableTotp,
  listLinkedAccounts,
  readTotpStatus,
  setUpTotp,
  unlinkAccount,
} from "../../../identity/sign-ins/index.ts";
import { AppError } from "../../../lib/errors.ts";
import { browserName } from "./browser-name.ts";
import { deleteAccountPages } from "./delete-account.tsx";
import { RecoveryCodesPage, SecurityPage, TotpSetupPage } from "./page.tsx";
import { proofPages } from "./proof.tsx";

const CodeForm = z.object({ code: z.string().max(64) });

export const securityPages = pagesOf(
  "session",
  deleteAccountPages,
  proofPages,
  page(
    "/app/security",
    "GET /v1/sessions/",
    async (c) => {
      const [{ rows: sessions, next }, totp, accounts] = await Promise.all([
        readPage(c, { path: "/app/security", read: listSessions, after: ({ id }) => id }),
        readTotpStatus(c.get("caller")),
        listLinkedAccounts(c.get("caller")),
      ]);
      return respondPage(c, <SecurityPage sessions={sessions} next={next} totp={totp} accounts={accounts} />);
    },
    { proven: "You have proved your identity for five minutes." },
  ),
  button("/app/security/accounts/:provider/:subject/unlink", "DELETE /v1/sessions/:session_id", {
    run: unlinkAccount,
    done: { unlinked: "The account is unlinked." },
  }),
  button("/app/security/totp/setup", "POST /v1/auth/totp/setup", {
    run: setUpTotp,
    to: (secret, c) => respondPage(c, <TotpSetupPage secret={secret} />),
  }),
  change("/app/security/totp/enable", "POST /v1/auth/totp/enable", {
    read: readCode,
    run: (caller, { code, ip }) => enableTotp(caller, code, ip).catch(refuseCode),
    show: (c) => respondPage(c, <TotpSetupPage secret={null} />),
    to: (codes, c) => respondPage(c, <RecoveryCodesPage codes={codes} />),
    done: {},
  }),
  change("/app/security/totp/disable", "POST /v1/auth/totp/disable", {
    read: readCode,
    run: (caller, { code, ip }) => disableTotp(caller, code, ip).catch(refuseCode),
    done: { "totp-off": "Two-factor authentication is off." },
  }),
  question("/app/security/sessions/:session_id/revoke", "DELETE /v1/sessions/:session_id", {
    of: getSession,
    title: "End this session?",
    button: "End session",
    text: ({ createdAt, userAgent }) => (
      <>
        The browser that signed in at <Time at={createdAt} as="whole" /> has to sign in again: {browserName(userAgent)}.
      </>
    ),
    run: revokeSession,
    to: "/app/security",
    done: { ended: "The session is ended." },
  }),
  question("/app/security/sign-out", "DELETE /v1/sessions/", {
    of: async () => null,
    title: "Sign out everywhere?",
    button: "Sign out everywhere",
    text: "All your sessions end, this one included. API keys, connected programs and passwords of mailboxes stay.",
    run: revokeSessions,
    to: (_, c) => {
      deleteCookies(c, "session", "refresh");
      return "/auth/sign-in";
    },
  }),
);

function readCode(fields: URLSearchParams, c: AppContext) {
  return { ...inputOf(CodeForm)(fields), ip: clientOf(c).ip };
}

function refuseCode(error: unknown): never {
  if (error instanceof AppError && error.status === 403) throw new AppError(422, error.message);
  throw error;
}
