import type { Context } from "hono";
import { Hono } from "hono";
import type { AppEnv } from "../../http/env.ts";
import { readForm } from "../../http/fields.ts";
import { webmailFor } from "../../http/mailbox-page-session.ts";
import { respondPage } from "../../http/page.tsx";
import { parseFields, type Refusal, submitForm } from "../../http/page-form.ts";
import { readTime } from "../../http/time-field.ts";
import { AutoReplyIn, openAutoReply, replaceAutoReply, toAutoReply } from "../../mailboxes/inbox/index.ts";
import { type AutoReplyForm, AutoReplyPage } from "./auto-reply-page.tsx";
import { pageOf } from "./open-page.ts";
import { settingsPath } from "./paths.ts";

/** Greatest form, in bytes: a text of 20,000 characters, percent-encoded. */
const MAX_FORM_BYTES = 300_000;

const notices: Readonly<Record<string, string>> = {
  on: "The automatic reply is on.",
  off: "The automatic reply is off.",
};

/** The page of the automatic reply of a mailbox. */
export const autoReplyPages = new Hono<AppEnv>()
  .get("/mail/auto-reply/:mailbox_id", ...webmailFor("GET /v1/inbox/:mailbox_id/auto-reply"), (c) => showAutoReply(c))
  .post("/mail/auto-reply/:mailbox_id", ...webmailFor("PUT /v1/inbox/:mailbox_id/auto-reply"), async (c) => {
    const caller = c.get("caller");
    const { mailbox, autoReply } = await openAutoReply(caller, c.req.param("mailbox_id"));
    const form = toForm(await readForm(c, MAX_FORM_BYTES), toAutoReply(autoReply));
    const save = async () => {
      const { is_active } = await replaceAutoReply(caller, mailbox, parseFields(AutoReplyIn, toInput(form)));
      return settingsPath(mailbox.id, "auto-reply", { done: is_active ? "on" : "off" });
    };
    return submitForm(c, save, (refusal) => showAutoReply(c, { form, refusal }));
  });

type Stored = ReturnType<typeof toAutoReply>;

const toForm = (fields: URLSearchParams, stored: Stored): AutoReplyForm => ({
  isActive: fields.get("is_active") === "on",
  startsAt: readTime(fields, "starts_at", stored.starts_at ?? ""),
  endsAt: readTime(fields, "ends_at", stored.ends_at ?? ""),
  subject: fields.get("subject") ?? "",
  text: (fields.get("text") ?? "").replaceAll("\r\n", "\n"),
});

const toInput = ({ isActive, startsAt, endsAt, subject, text }: AutoReplyForm) => ({
  is_active: isActive,
  starts_at: startsAt || null,
  ends_at: endsAt || null,
  subject,
  text,
});

async function showAutoReply(c: Context<AppEnv>, refused?: { form: AutoReplyForm; refusal: Refusal }) {
  const caller = c.get("caller");
  const { mailbox, autoReply } = await openAutoReply(caller, c.req.param("mailbox_id") ?? "");
  const { is_active, starts_at, ends_at, subject, text } = toAutoReply(autoReply);
  const form = refused?.form ?? {
    ...{ isActive: is_active, startsAt: starts_at ?? "", endsAt: ends_at ?? "", subject: subject ?? "", text },
  };
  const refusal = refused?.refusal;
  const notice = refusal ? undefined : notices[c.req.query("done") ?? ""];
  const page = await pageOf(caller, mailbox);
  return respondPage(c, <AutoReplyPage {...{ page, form, notice, refusal }} />, { status: refusal?.status ?? 200 });
}
