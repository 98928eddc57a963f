import { type AppContext, newRoutes } from "../../http/env.ts";
import { webmailFor } from "../../http/mailbox-page-session.ts";
import { respondPage } from "../../http/page.tsx";
import { parseFields, submitForm } from "../../http/page-routes.ts";
import { readTime } from "../../http/time-field.ts";
import { AutoReplyIn, openAutoReply, replaceAutoReply, toAutoReply } from "../../mailboxes/inbox/index.ts";
import { AutoReplyPage } from "./auto-reply-page.tsx";
import { pageOf } from "./open-page.tsx";
import { settingsPath } from "./paths.ts";

/** Greatest form, in bytes: a text of 20,000 characters, percent-encoded. */
const MAX_FORM_BYTES = 300_000;

const notices: Readonly<Record<string, string>> = {
  on: "The automatic reply is on.",
  off: "The automatic reply is off.",
};

/** The page of the automatic reply of a mailbox. */
export const autoReplyPages = newRoutes()
  .get("/mail/auto-reply/:mailbox_id", ...webmailFor("GET /v1/inbox/:mailbox_id/auto-reply"), showAutoReply)
  .post("/mail/auto-reply/:mailbox_id", ...webmailFor("PUT /v1/inbox/:mailbox_id/auto-reply"), (c) =>
    submitForm(c, { show: showAutoReply, maxBytes: MAX_FORM_BYTES }, async (fields) => {
      const caller = c.get("caller");
      const { mailbox, autoReply } = await openAutoReply(caller, c.req.param("mailbox_id"));
      const input = parseFields(AutoReplyIn, readFields(fields, toAutoReply(autoReply)));
      const { is_active } = await replaceAutoReply(caller, mailbox, input);
      return settingsPath(mailbox.id, "auto-reply", { done: is_active ? "on" : "off" });
    }),
  );

type Stored = ReturnType<typeof toAutoReply>;

/** Returns the fields of the API call. */
const readFields = (fields: URLSearchParams, stored: Stored) => ({
  is_active: fields.get("is_active") === "on",
  starts_at: readTime(fields, "starts_at", stored.starts_at ?? "") || null,
  ends_at: readTime(fields, "ends_at", stored.ends_at ?? "") || null,
  subject: fields.get("subject") ?? "",
  text: (fields.get("text") ?? "").replaceAll("\r\n", "\n"),
});

async function showAutoReply(c: AppContext) {
  const caller = c.get("caller");
  const { mailbox, autoReply } = await openAutoReply(caller, c.req.param("mailbox_id") ?? "");
  const stored = toAutoReply(autoReply);
  const fields = c.get("form");
  const page = await pageOf(caller, mailbox);
  const shown = <AutoReplyPage page={page} autoReply={fields ? readFields(fields, stored) : stored} />;
  return respondPage(c, shown, { notices });
}
