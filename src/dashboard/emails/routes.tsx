import type { Context } from "hono";
import { Hono } from "hono";
import {
  cancelEmail,
  getEmail,
  getEmailDetail,
  retryEmail,
  SendIn,
  type Status,
  searchEmails,
  sendEmail,
  sendNow,
  statuses,
} from "../../emails/index.ts";
import { notFound } from "../../errors.ts";
import type { AppEnv } from "../../http/env.ts";
import { readForm } from "../../http/fields.ts";
import { onceForForm } from "../../http/idempotency.ts";
import { respondMailHtml, respondPage } from "../../http/page.tsx";
import { parseFields, type Refusal, submitForm, toRefusal } from "../../http/page-form.ts";
import { pageFor } from "../../http/page-right.ts";
import { listMailboxes } from "../../mailboxes/index.ts";
import { EmailPage } from "./detail.tsx";
import { type EmailForm, NewEmailPage, readEmailForm, toSendRequest } from "./form.tsx";
import { EmailsPage, emailsPath } from "./list.tsx";

const PAGE_SIZE = 50;
/** Greatest body of the form that sends an email, in bytes. */
const MAX_FORM_BYTES = 1_000_000;
/** Most mailboxes in the choice of the sender. */
const MAX_SENDERS = 200;

const notices: Readonly<Record<string, string>> = {
  sent: "The email is accepted.",
  retried: "This is the new email that repeats the failed one.",
  cancelled: "The email is cancelled.",
  now: "The email is on its way.",
};

export const emailPages = new Hono<AppEnv>()
  .get("/app/emails", ...pageFor("GET /v1/emails/search"), async (c) => {
    const caller = c.get("caller");
    const q = c.req.query("q") ?? "";
    const status = c.req.query("status") ?? "";
    const before = c.req.query("before")?.toLowerCase();
    try {
      const input = { q, direction: "outbound" as const, before, page: 0, limit: PAGE_SIZE };
      const { rows, next } = await searchEmails(caller, { ...input, ...(isStatus(status) ? { status } : {}) });
      const path = next?.before === undefined ? null : emailsPath({ q, status, before: next.before });
      return respondPage(c, <EmailsPage caller={caller} emails={rows} q={q} status={status} next={path} />);
    } catch (error) {
      const { message, status: code } = toRefusal(error);
      const page = <EmailsPage caller={caller} emails={[]} q={q} status={status} next={null} error={message} />;
      return respondPage(c, page, { status: code });
    }
  })
  .get("/app/emails/new", ...pageFor("POST /v1/emails/"), (c) => showForm(c, emptyForm(c)))
  .post("/app/emails/new", ...pageFor("POST /v1/emails/"), async (c) => {
    const form = readEmailForm(await readForm(c, MAX_FORM_BYTES));
    return submitForm(
      c,
      async () => {
        const request = toSendRequest(form);
        const input = parseFields(SendIn, request);
        const send = onceForForm(c, form.idempotencyKey, JSON.stringify(request), (ctx) => sendEmail(ctx, input, "ui"));
        return `/app/emails/${(await send).id}?done=sent`;
      },
      (refusal) => showForm(c, form, refusal),
    );
  })
  .get("/app/emails/:email_id", ...pageFor("GET /v1/emails/:email_id"), (c) => showEmail(c))
  .get("/app/emails/:email_id/html", ...pageFor("GET /v1/emails/:email_id"), async (c) => {
    const { html_body } = await getEmailDetail(c.get("caller"), c.req.param("email_id"));
    if (html_body === null) throw notFound("Email");
    return respondMailHtml(c, html_body);
  })
  .post("/app/emails/:email_id/retry", ...pageFor("POST /v1/emails/:email_id/retry"), async (c) => {
    const id = c.req.param("email_id");
    const key = (await readForm(c)).get("idempotency_key") ?? "";
    return submitForm(
      c,
      async () => {
        const created = await onceForForm(c, key, id, (ctx) => retryEmail(ctx, id));
        return `/app/emails/${created.id}?done=retried`;
      },
      (refusal) => showEmail(c, refusal),
    );
  })
  .post("/app/emails/:email_id/send-now", ...pageFor("POST /v1/emails/scheduled/:email_id/send-now"), (c) =>
    change(c, "now", (id) => sendNow(c.get("caller"), id)),
  )
  .post("/app/emails/:email_id/cancel", ...pageFor("DELETE /v1/emails/scheduled/:email_id"), (c) =>
    change(c, "cancelled", (id) => cancelEmail(c.get("caller"), id)),
  );

const isStatus = (text: string): text is Status => (statuses as readonly string[]).includes(text);

function change(c: Context<AppEnv>, done: string, run: (id: string) => Promise<unknown>): Promise<Response> {
  const id = c.req.param("email_id") ?? "";
  return submitForm(
    c,
    async () => {
      await run(id);
      return `/app/emails/${id}?done=${done}`;
    },
    (refusal) => showEmail(c, refusal),
  );
}

async function showEmail(c: Context<AppEnv>, refusal?: Refusal) {
  const caller = c.get("caller");
  const id = c.req.param("email_id") ?? "";
  const [email, { recipients }] = await Promise.all([getEmailDetail(caller, id), getEmail(caller, id)]);
  const notice = refusal ? undefined : notices[c.req.query("done") ?? ""];
  const page = <EmailPage {...{ caller, email, recipients, notice }} error={refusal?.message} />;
  return respondPage(c, page, { status: refusal?.status ?? 200, frames: true });
}

const emptyForm = (c: Context<AppEnv>): EmailForm => ({
  ...{ from: "", to: c.get("caller").actor.email, subject: "A test", text: "It works.", html: "", sendAt: "" },
  idempotencyKey: crypto.randomUUID(),
});

async function showForm(c: Context<AppEnv>, form: EmailForm, refusal?: Refusal) {
  const caller = c.get("caller");
  const mailboxes = await listMailboxes(caller, { offset: 0, limit: MAX_SENDERS });
  const page = <NewEmailPage caller={caller} mailboxes={mailboxes} form={form} refusal={refusal} />;
  return respondPage(c, page, { status: refusal?.status ?? 200 });
}
