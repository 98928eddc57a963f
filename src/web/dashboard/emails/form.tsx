import type { CallerCtx } from "../../../access/caller.ts";
import type { Refusal } from "../../../http/page-form.ts";
import { readTime } from "../../../http/time-field.ts";
import {
  Empty,
  ErrorSummary,
  Field,
  Layout,
  Notice,
  PreviewFrame,
  Select,
  TextArea,
  TimeField,
} from "../../../http/ui/index.ts";
import type { MailboxRow } from "../../../mailboxes/mailboxes/index.ts";

/** The fields of the form that sends an email, as they were filled in. */
export interface EmailForm {
  from: string;
  to: string;
  subject: string;
  text: string;
  html: string;
  /** In ISO 8601. Empty: now. */
  sendAt: string;
  /** Generated with the form: a repeated submission sends no second email. */
  idempotencyKey: string;
}

export function readEmailForm(form: URLSearchParams): EmailForm {
  const field = (name: string) => form.get(name) ?? "";
  return {
    ...{ from: field("from_"), to: field("to"), subject: field("subject"), text: field("text"), html: field("html") },
    ...{ sendAt: readTime(form, "send_at"), idempotencyKey: field("idempotency_key") },
  };
}

/** Returns the request of the API with the fields of a form. */
export const toSendRequest = ({ from, to, subject, text, html, sendAt }: EmailForm) => ({
  from_: { email: from },
  to: to
    .split(/[\s,;]+/)
    .filter((email) => email !== "")
    .map((email) => ({ email })),
  subject,
  text: text === "" ? null : text.replaceAll("\r\n", "\n"),
  html: html === "" ? null : html,
  ...(sendAt === "" ? {} : { send_at: sendAt }),
});

interface NewEmailPageProps {
  caller: CallerCtx;
  senders: readonly MailboxRow[];
  form: EmailForm;
  refusal?: Refusal | undefined;
  /** True when the form was checked, and nothing is wrong with it. */
  isValid?: boolean;
}

/** The page that sends one email, checks it without sending it, and shows it in a frame. */
export function NewEmailPage({ caller, senders, form, refusal, isValid = false }: NewEmailPageProps) {
  return (
    <Layout title="New email" caller={caller} at="/app/emails">
      {senders.length === 0 ? (
        <Empty action={{ href: "/app/mailboxes", label: "Create a mailbox" }}>
          An email is sent from a mailbox, and this workspace has none yet.
        </Empty>
      ) : (
        <div class="columns">
          <EmailFields {...{ senders, form, refusal, isValid }} />
          <section aria-label="Preview">
            <PreviewFrame />
          </section>
        </div>
      )}
    </Layout>
  );
}

const EmailFields = ({ senders, form, refusal, isValid }: Omit<NewEmailPageProps, "caller">) => {
  const errors = refusal?.errors;
  return (
    <form method="post" action="/app/emails/new" data-previewed="">
      <ErrorSummary refusal={refusal} />
      {isValid ? <Notice kind="good">Nothing is wrong with this email. It has not been sent yet.</Notice> : null}
      <input type="hidden" name="idempotency_key" value={form.idempotencyKey} />
      <Select
        name="from_"
        label="From"
        errors={errors}
        value={form.from}
        options={senders.map(({ address }) => ({ value: address, label: address }))}
      />
      <Field
        name="to"
        label="To"
        hint="One address, or several separated by commas. delivered@simulator.test accepts every email."
        errors={errors}
        value={form.to}
      />
      <Field name="subject" label="Subject" errors={errors} value={form.subject} maxlength={998} />
      <TextArea name="text" label="Text" required={false} errors={errors} value={form.text} />
      <TextArea name="html" label="HTML" required={false} errors={errors} value={form.html} code />
      <TimeField name="send_at" label="Send at" hint="Leave empty to send now." errors={errors} at={form.sendAt} />
      <div class="actions">
        <button type="submit">Send</button>
        <button class="quiet" type="submit" name="action" value="check">
          Check for problems
        </button>
        <button class="quiet" type="submit" formaction="/app/emails/preview" formtarget="preview" formnovalidate>
          Update preview
        </button>
      </div>
    </form>
  );
};
