import { FaultSummary, type Faults, Field, Notice, TextArea } from "../ui/index.ts";
import type { ComposeForm } from "./compose-form.ts";
import { type OpenPage, WebmailLayout } from "./layout.tsx";

interface ComposePageProps {
  page: OpenPage;
  form: ComposeForm;
  refusal?: { message: string; faults: Faults } | undefined;
  notice?: string | undefined;
}

/** The form that writes a message. It is sent after a minute in which sending can be undone, or at once. */
export const ComposePage = ({ page, form, refusal, notice }: ComposePageProps) => (
  <WebmailLayout {...page} title="New message" current="compose">
    <article>
      <h1>New message</h1>
      {notice === undefined ? null : <Notice kind="good">{notice}</Notice>}
      <FaultSummary refusal={refusal} />
      <form method="post">
        <input type="hidden" name="idempotency_key" value={form.idempotencyKey} />
        <input type="hidden" name="in_reply_to" value={form.inReplyTo} />
        <input type="hidden" name="draft" value={form.draft} />
        <Field name="to" label="To" value={form.to} hint="Addresses, separated by commas" faults={refusal?.faults} />
        <Field name="cc" label="Cc" value={form.cc} required={false} faults={refusal?.faults} />
        <Field name="bcc" label="Bcc" value={form.bcc} required={false} faults={refusal?.faults} />
        <Field
          name="subject"
          label="Subject"
          value={form.subject}
          required={false}
          maxlength={998}
          faults={refusal?.faults}
        />
        <TextArea name="text" label="Text" value={form.text} rows={16} faults={refusal?.faults} />
        <div class="actions">
          <button type="submit" name="action" value="send">
            Send
          </button>
          <button type="submit" class="quiet" name="action" value="now">
            Send without a minute to undo
          </button>
          <button type="submit" class="quiet" name="action" value="draft" formnovalidate>
            Save draft
          </button>
        </div>
      </form>
    </article>
  </WebmailLayout>
);
