import type { CallerCtx } from "../../../access/caller.ts";
import { respondMessage } from "../../../http/download.ts";
import type { AppContext } from "../../../http/env.ts";
import { respondMailHtml, respondPage } from "../../../http/page.tsx";
import { button, get, page, pagesOf, post } from "../../../http/page-actions.tsx";
import { onceForForm, parseFields, submitForm } from "../../../http/page-routes.ts";
import { requireRight } from "../../../http/require-right.ts";
import { notFound, nullIfMissing } from "../../../lib/errors.ts";
import { getMailbox } from "../../../mailboxes/mailboxes/index.ts";
import { composeSource } from "../../../sending/delivery/index.ts";
import {
  getEmail,
  getEmailDetail,
  isPending,
  readDetail,
  retryEmail,
  SendIn,
  sendEmail,
} from "../../../sending/emails/index.ts";
import { findWaits } from "../../../sending/receivers/index.ts";
import { findSuppressions, removeSuppression, toSuppression } from "../../../sending/suppressions/index.ts";
import { batchPages } from "./batch.tsx";
import { EmailPage } from "./detail.tsx";
import { newEmailRoutes } from "./new-routes.tsx";
import { scheduledRoutes } from "./scheduled-routes.tsx";
import { searchPages } from "./search-routes.tsx";

const RETRY = "POST /v1/emails/:email_id/retry";
const RETRIED = { retried: "This is the new email that repeats the failed one." };
/** States of recipients that an email did not reach, or that want no more. */
const UNREACHED = ["bounced", "rejected", "failed", "complained", "suppressed"];

export const emailPages = pagesOf(
  "email",
  searchPages,
  batchPages,
  ...scheduledRoutes,
  ...newEmailRoutes,
  page("/app/emails/:email_id", "GET /v1/emails/:email_id", showEmail),
  get("/app/emails/:email_id/html", "GET /v1/emails/:email_id", async (c) => {
    const { html_body } = await getEmailDetail(c.get("caller"), c.req.param("email_id"));
    if (html_body === null) throw notFound("Email");
    return respondMailHtml(c, html_body);
  }),
  get("/app/emails/:email_id/source", "GET /v1/emails/:email_id/source", async (c) => {
    const id = c.req.param("email_id");
    return respondMessage(c, `email-${id.toLowerCase()}.eml`, await composeSource(c.get("caller"), id));
  }),
  button("/app/emails/:email_id/copy", "POST /v1/emails/", {
    run: sendCopy,
    once: true,
    to: "/app/emails/:id",
    done: { copied: "This copy is on its way to you. It has no attachments." },
  }),
  button("/app/emails/:email_id/retry", RETRY, { run: retryEmail, once: true, to: "/app/emails/:id", done: RETRIED }),
  post("/app/emails/:email_id/remove-and-retry", RETRY, (c) => {
    requireRight(c.get("caller").actor, "DELETE /v1/suppressions/:email", c.get("routes"));
    return submitForm(c, showEmail, async (fields) => {
      // A form that is sent again finds the address removed.
      await removeSuppression(c.get("caller"), fields.get("address") ?? "").catch(nullIfMissing);
      const created = await onceForForm(c, (ctx) => retryEmail(ctx, c.req.param("email_id")));
      return `/app/emails/${created.id}?done=retried`;
    });
  }),
);

/** Sends the content of an email to the user who looks at it. A copy of mail of a mailbox keeps its source, which hides it from others. */
async function sendCopy(caller: CallerCtx, id: string) {
  const row = await getEmail(caller, id);
  const email = await readDetail(caller, row);
  // A new mailbox with the address of a deleted one has other readers.
  if (email.source === "inbox") await getMailbox(caller, row.mailboxId);
  const input = parseFields(SendIn, {
    from_: { email: row.fromEmail },
    to: [{ email: caller.actor.email }],
    subject: email.subject,
    text: email.text_body,
    html: email.html_body,
    tracking: { opens: false, clicks: false },
  });
  return sendEmail(caller, input, email.source === "inbox" ? "inbox" : "ui");
}

async function showEmail(c: AppContext) {
  const caller = c.get("caller");
  const row = await getEmail(caller, c.req.param("email_id") ?? "");
  const failed = row.recipients.filter(({ state }) => UNREACHED.includes(state)).map(({ email: address }) => address);
  const pending = row.recipients.filter(({ state }) => isPending(state)).map(({ email: address }) => address);
  const [email, found, waits] = await Promise.all([
    readDetail(caller, row),
    failed.length === 0 ? [] : findSuppressions(caller, failed),
    pending.length === 0 ? [] : findWaits(caller, pending, row),
  ]);
  const suppressions = found.map(toSuppression);
  const shown = <EmailPage email={email} row={row} suppressions={suppressions} waits={waits} />;
  return respondPage(c, shown, { frames: true });
}
