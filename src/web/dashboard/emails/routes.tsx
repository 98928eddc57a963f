import type { CallerCtx } from "../../../access/caller.ts";
import { respondMessage } from "../../../http/download.ts";
import { type AppContext, newRoutes } from "../../../http/env.ts";
import { respondMailHtml, respondPage } from "../../../http/page.tsx";
import { onceForForm, pageFor, parseFields, submitForm } from "../../../http/page-routes.ts";
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
import { batchPages } from "./batch-routes.tsx";
import { EmailPage } from "./detail.tsx";
import { newEmailPages } from "./new-routes.tsx";
import { scheduledPages } from "./scheduled-routes.tsx";
import { searchPages } from "./search-routes.tsx";

const RETRY = "POST /v1/emails/:email_id/retry";
/** States of recipients that an email did not reach, or that want no more. */
const UNREACHED = ["bounced", "rejected", "failed", "complained", "suppressed"];

const notices: Readonly<Record<string, string>> = {
  sent: "The email is accepted.",
  retried: "This is the new email that repeats the failed one.",
  cancelled: "The email is cancelled.",
  now: "The email is on its way.",
  copied: "This copy is on its way to you. It has no attachments.",
};

export const emailPages = newRoutes()
  .route("/", searchPages)
  .route("/", batchPages)
  .route("/", scheduledPages)
  .route("/", newEmailPages)
  .get("/app/emails/:email_id", ...pageFor("GET /v1/emails/:email_id"), showEmail)
  .get("/app/emails/:email_id/html", ...pageFor("GET /v1/emails/:email_id"), async (c) => {
    const { html_body } = await getEmailDetail(c.get("caller"), c.req.param("email_id"));
    if (html_body === null) throw notFound("Email");
    return respondMailHtml(c, html_body);
  })
  .get("/app/emails/:email_id/source", ...pageFor("GET /v1/emails/:email_id/source"), async (c) => {
    const id = c.req.param("email_id");
    return respondMessage(c, `email-${id.toLowerCase()}.eml`, await composeSource(c.get("caller"), id));
  })
  .post("/app/emails/:email_id/copy", ...pageFor("POST /v1/emails/"), (c) =>
    submitForm(c, showEmail, async () => {
      const id = c.req.param("email_id");
      const { input, source } = await toCopy(c.get("caller"), id);
      const { id: copy } = await onceForForm(c, (ctx) => sendEmail(ctx, input, source));
      return `/app/emails/${copy}?done=copied`;
    }),
  )
  .post("/app/emails/:email_id/retry", ...pageFor(RETRY), (c) =>
    submitForm(c, showEmail, async () => {
      const id = c.req.param("email_id");
      const created = await onceForForm(c, (ctx) => retryEmail(ctx, id));
      return `/app/emails/${created.id}?done=retried`;
    }),
  )
  .post("/app/emails/:email_id/remove-and-retry", ...pageFor(RETRY), (c) => {
    requireRight(c.get("caller").actor, "DELETE /v1/suppressions/:email", c.get("routes"));
    return submitForm(c, showEmail, async (fields) => {
      const id = c.req.param("email_id");
      const address = fields.get("address") ?? "";
      // A form that is sent again finds the address removed.
      await removeSuppression(c.get("caller"), address).catch(nullIfMissing);
      const created = await onceForForm(c, (ctx) => retryEmail(ctx, id));
      return `/app/emails/${created.id}?done=retried`;
    });
  });

/**
 * Returns the request that sends the content of an email, without attachments, to the user who looks at it. The copy of mail that a
 * person wrote in a mailbox keeps its source, by which others may not read it. Throws 404, also when that mailbox was deleted.
 */
async function toCopy(caller: CallerCtx, id: string): Promise<{ input: SendIn; source: string }> {
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
  return { input, source: email.source === "inbox" ? "inbox" : "ui" };
}

async function showEmail(c: AppContext) {
  const caller = c.get("caller");
  const id = c.req.param("email_id") ?? "";
  const row = await getEmail(caller, id);
  const failed = row.recipients.filter(({ state }) => UNREACHED.includes(state)).map(({ email: address }) => address);
  const pending = row.recipients.filter(({ state }) => isPending(state)).map(({ email: address }) => address);
  const [email, found, waits] = await Promise.all([
    readDetail(caller, row),
    failed.length === 0 ? [] : findSuppressions(caller, failed),
    pending.length === 0 ? [] : findWaits(caller, pending, row),
  ]);
  const suppressions = found.map(toSuppression);
  const page = <EmailPage email={email} row={row} suppressions={suppressions} waits={waits} />;
  return respondPage(c, page, { notices, frames: true });
}
