import { type AppContext, newRoutes } from "../../http/env.ts";
import { webmailFor } from "../../http/mailbox-page-session.ts";
import { respondPage } from "../../http/page.tsx";
import { parseFields, submitForm } from "../../http/page-routes.ts";
import { readTime } from "../../http/time-field.ts";
import { Check, Field, Form, TextArea, TimeField } from "../../http/ui/index.ts";
import { AutoReplyIn, openAutoReply, replaceAutoReply, toAutoReply } from "../../mailboxes/inbox/index.ts";
import type { OpenPage } from "./layout.tsx";
import { pageOf } from "./open-page.tsx";
import { settingsPath } from "./paths.ts";
import { SettingsLayout } from "./settings-layout.tsx";

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

const readFields = (fields: URLSearchParams, stored: ReturnType<typeof toAutoReply>) => ({
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

interface AutoReplyPageProps {
  page: OpenPage;
  autoReply: Pick<ReturnType<typeof toAutoReply>, "is_active" | "starts_at" | "ends_at" | "subject" | "text">;
}

const AutoReplyPage = ({ page, autoReply }: AutoReplyPageProps) => (
  <SettingsLayout page={page} at="auto-reply">
    <p class="hint">
      Replies to people who write to {page.mailbox.address}, to each at most once a day. Lists, automatic emails and
      spam get no reply.
    </p>
    <Form>
      <Check name="is_active" label="Reply automatically" checked={autoReply.is_active} />
      <div class="columns">
        <TimeField name="starts_at" label="From" hint="Leave empty to begin now" at={autoReply.starts_at ?? ""} />
        <TimeField name="ends_at" label="Until" hint="Leave empty for no end" at={autoReply.ends_at ?? ""} />
      </div>
      <Field
        name="subject"
        label="Subject"
        value={autoReply.subject ?? ""}
        maxlength={500}
        required={false}
        hint="Empty: “Auto:” and the subject of the email"
      />
      <TextArea name="text" label="Text" value={autoReply.text} rows={8} />
      <button type="submit">Save automatic reply</button>
    </Form>
  </SettingsLayout>
);
