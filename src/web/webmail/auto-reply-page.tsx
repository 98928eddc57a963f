import { Check, Field, type FieldErrors, Form, TextArea, TimeField } from "../../http/ui/index.ts";
import type { OpenPage } from "./layout.tsx";
import { SettingsLayout } from "./settings-layout.tsx";

/** The fields of the form, as text. Times are in ISO 8601. */
export interface AutoReplyForm {
  isActive: boolean;
  startsAt: string;
  endsAt: string;
  subject: string;
  text: string;
}

interface AutoReplyPageProps {
  page: OpenPage;
  form: AutoReplyForm;
  notice?: string | undefined;
  refusal?: { message: string; errors: FieldErrors } | undefined;
}

/** The page that sets the reply that goes to those who write meanwhile. */
export const AutoReplyPage = ({ page, form, notice, refusal }: AutoReplyPageProps) => (
  <SettingsLayout {...{ page, at: "auto-reply", notice, refusal }}>
    <p class="hint">
      Replies to people who write to {page.mailbox.address}, to each at most once a day. Lists, automatic emails and
      spam get no reply.
    </p>
    <Form>
      <Check name="is_active" label="Reply automatically" checked={form.isActive} />
      <div class="columns">
        <TimeField
          {...{ name: "starts_at", label: "From", hint: "Leave empty to begin now", at: form.startsAt }}
          errors={refusal?.errors}
        />
        <TimeField
          {...{ name: "ends_at", label: "Until", hint: "Leave empty for no end", at: form.endsAt }}
          errors={refusal?.errors}
        />
      </div>
      <Field
        {...{ name: "subject", label: "Subject", value: form.subject, maxlength: 500, required: false }}
        hint="Empty: “Auto:” and the subject of the email"
        errors={refusal?.errors}
      />
      <TextArea {...{ name: "text", label: "Text", value: form.text, rows: 8 }} errors={refusal?.errors} />
      <button type="submit">Save automatic reply</button>
    </Form>
  </SettingsLayout>
);
