import { Check, Field, Form, TextArea, TimeField } from "../../http/ui/index.ts";
import type { toAutoReply } from "../../mailboxes/inbox/index.ts";
import type { OpenPage } from "./layout.tsx";
import { SettingsLayout } from "./settings-layout.tsx";

interface AutoReplyPageProps {
  page: OpenPage;
  autoReply: Pick<ReturnType<typeof toAutoReply>, "is_active" | "starts_at" | "ends_at" | "subject" | "text">;
}

/** The page that sets the reply that goes to those who write meanwhile. */
export const AutoReplyPage = ({ page, autoReply }: AutoReplyPageProps) => (
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
