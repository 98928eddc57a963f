import { signOutOfMailbox } from "../../access/mailbox-sessions/sessions.ts";
import { deleteCookies, readCookie, setSessionCookies } from "../../http/cookies.ts";
import { clientOf, type Middleware, newRoutes } from "../../http/env.ts";
import { readFields } from "../../http/fields.ts";
import { webmailFor } from "../../http/mailbox-page-session.ts";
import { needs } from "../../http/needs.ts";
import { respondPage } from "../../http/page.tsx";
import { onPageError } from "../../http/page-errors.tsx";
import { refuseCrossSite, requireOwnPage, requireSameOrigin } from "../../http/same-origin.ts";
import { signInToWebmail, WebmailLoginIn } from "../../identity/sign-ins/index.ts";
import { AppError } from "../../lib/errors.ts";
import { connectToEvents } from "../../mailboxes/inbox/index.ts";
import { listMailboxes } from "../../mailboxes/mailboxes/index.ts";
import { aliasPages } from "./aliases-routes.tsx";
import { autoReplyPages } from "./auto-reply-routes.tsx";
import { composePages } from "./compose-routes.tsx";
import { filterPages } from "./filters-routes.tsx";
import { foldersAndLabelsPages } from "./folders-and-labels-routes.tsx";
import { importPages } from "./import-routes.tsx";
import { listPages } from "./list-routes.tsx";
import { mailProgramPages } from "./mail-programs-routes.tsx";
import { messagePages } from "./message-routes.tsx";
import { MailboxesPage, MailboxSignInPage } from "./pages.tsx";
import { folderPath } from "./paths.ts";
import { savedRepliesPages } from "./saved-replies-routes.tsx";
import { settingsPages } from "./settings-routes.tsx";
import { threadPages } from "./thread-routes.tsx";

/** Refuses handshakes of other pages before the session is read, which could refresh it. */
const ownPagesOnly: Middleware = (c, next) => {
  requireOwnPage(c, true);
  return next();
};

/** Most mailboxes in the list of those that a user may open. */
const MAX_MAILBOXES = 500;

/** The pages of webmail. A mailbox is opened by its password (docs/contract/mailboxes.md#webmail), or by a user of the dashboard. */
export const webmailPages = newRoutes()
  .get("/mail/sign-in", needs("public"), (c) =>
    respondPage(c, <MailboxSignInPage email={(c.req.query("email") ?? "").slice(0, 254)} />),
  )
  .post("/mail/sign-in", needs("public"), async (c) => {
    refuseCrossSite(c);
    const { email, password } = await readFields(c, WebmailLoginIn);
    try {
      const tokens = await signInToWebmail(c.get("ctx"), { email: email.trim(), password, client: clientOf(c) });
      setSessionCookies(c, tokens);
      return c.redirect("/mail", 303);
    } catch (error) {
      if (!(error instanceof AppError) || (error.status !== 401 && error.status !== 429)) throw error;
      const status = error.status === 401 ? 422 : 429;
      return respondPage(c, <MailboxSignInPage email={email} error={error.message} />, { status });
    }
  })
  .get("/mail", ...webmailFor("GET /v1/inbox/:mailbox_id/messages"), async (c) => {
    const caller = c.get("caller");
    if (caller.actor.kind === "mailbox") return c.redirect(folderPath(caller.actor.mailboxId, "INBOX"), 303);
    const mailboxes = await listMailboxes(caller, { offset: 0, limit: MAX_MAILBOXES });
    const { role, userId } = caller.actor;
    const own = mailboxes.filter(({ assigneeIds }) => role !== "member" || assigneeIds.includes(userId));
    return respondPage(c, <MailboxesPage user={caller.actor.email} mailboxes={own} />);
  })
  .post("/mail/sign-out", needs("public"), async (c) => {
    requireSameOrigin(c);
    const token = readCookie(c, "mailbox_refresh");
    if (token !== undefined) await signOutOfMailbox(c.get("ctx"), token);
    deleteCookies(c, "mailbox", "mailbox_refresh");
    return c.redirect("/mail/sign-in", 303);
  })
  // The cookies of a mailbox session go to paths below /mail only, so its pages cannot open the socket of the API.
  .get("/mail/events/:mailbox_id", ownPagesOnly, ...webmailFor("GET /v1/inbox/:mailbox_id/events"), async (c) => {
    const { webSocket } = await connectToEvents(c.get("caller"), c.req.param("mailbox_id"), c.req.header("Upgrade"));
    // With the cookies of a session that was refreshed, which a response of one's own does not have.
    return new Response(null, { status: 101, webSocket, headers: c.res.headers });
  })
  .route("/", composePages)
  // These come before the lists, whose /mail/:mailbox_id/:folder would match their paths.
  .route("/", foldersAndLabelsPages)
  .route("/", importPages)
  .route("/", settingsPages)
  .route("/", savedRepliesPages)
  .route("/", mailProgramPages)
  .route("/", autoReplyPages)
  .route("/", filterPages)
  .route("/", aliasPages)
  .route("/", threadPages)
  .route("/", listPages)
  .route("/", messagePages)
  .onError(onPageError);
