import { Hono } from "hono";
import { AppError } from "../errors.ts";
import { clientOf } from "../http/client.ts";
import type { AppEnv } from "../http/env.ts";
import { readFields } from "../http/fields.ts";
import { deleteMailboxCookies, readMailboxCookie, setMailboxCookies } from "../http/mailbox-cookies.ts";
import { mailboxPageSession } from "../http/mailbox-page-session.ts";
import { respondPage } from "../http/page.tsx";
import { onPageError } from "../http/page-errors.tsx";
import { refuseCrossSite, requireSameOrigin } from "../http/same-origin.ts";
import { signOutOfMailbox } from "../mailbox-sessions/index.ts";
import { signInToWebmail, WebmailLoginIn } from "../sign-ins/index.ts";
import { MailboxPage, MailboxSignInPage } from "./pages.tsx";

/** The pages of webmail: signing in to one mailbox by its password (decisions 5 and 11). */
export const webmailPages = new Hono<AppEnv>()
  .get("/mail/sign-in", (c) => respondPage(c, <MailboxSignInPage />))
  .post("/mail/sign-in", async (c) => {
    refuseCrossSite(c);
    const { email, password } = await readFields(c, WebmailLoginIn);
    try {
      const tokens = await signInToWebmail(c.get("ctx"), { email: email.trim(), password, client: clientOf(c) });
      setMailboxCookies(c, tokens);
      return c.redirect("/mail", 303);
    } catch (error) {
      if (!(error instanceof AppError) || (error.status !== 401 && error.status !== 429)) throw error;
      const status = error.status === 401 ? 422 : 429;
      return respondPage(c, <MailboxSignInPage email={email} error={error.message} />, { status });
    }
  })
  .get("/mail", mailboxPageSession, (c) => respondPage(c, <MailboxPage address={c.get("mailboxSession").address} />))
  .post("/mail/sign-out", async (c) => {
    requireSameOrigin(c);
    const token = readMailboxCookie(c, "mailbox_refresh");
    if (token !== undefined) await signOutOfMailbox(c.get("ctx"), token);
    deleteMailboxCookies(c);
    return c.redirect("/mail/sign-in", 303);
  })
  .onError(onPageError);
