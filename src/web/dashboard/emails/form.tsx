import { readTime } from "../../../http/time-field.ts";
import {
  AppLayout,
  Empty,
  Field,
  Form,
  Notice,
  PreviewFrame,
  Select,
  Submit,
  TextArea,
  TimeField,
  UpdatePreview,
  useViewer,
} from "../../../http/ui/index.ts";
import type { Language } from "../../../lib/personal-text.ts";
import type { MailboxRow } from "../../../mailboxes/mailboxes/index.ts";
import type { TemplateName, TemplateOut } from "../../../sending/templates/index.ts";
import { namesOf, readSamples, SAMPLE, type Samples, toVariables } from "../sample-values.ts";
import { TemplatePicker } from "../template-list.tsx";

/** The fields of the form that sends an email, as they were filled in. */
export interface EmailForm {
  from: string;
  to: string;
  subject: string;
  text: string;
  html: string;
  /** In ISO 8601. Empty: now. */
  sendAt: string;
  /** The template whose content it has. Empty: none. */
  templateId: string;
  /** Values of the template by their names, and its language. */
  values: Samples;
  language: Language;
}

export function readEmailForm(form: URLSearchParams): EmailForm {
  const field = (name: string) => form.get(name) ?? "";
  return {
    from: field("from_"),
    to: field("to"),
    subject: field("subject"),
    text: field("text"),
    html: field("html"),
    sendAt: readTime(form, "send_at"),
    templateId: field("template_id"),
    values: readSamples(form),
    language: field("language") === "liquid" ? "liquid" : "placeholders",
  };
}

/** Returns the request of the API with the fields of a form. */
export const toSendRequest = ({ from, to, subject, text, html, sendAt, templateId, ...form }: EmailForm) => ({
  from_: { email: from },
  to: to
    .split(/[\s,;]+/)
    .filter((email) => email !== "")
    .map((email) => ({ email })),
  ...(templateId === ""
    ? { subject, text: text === "" ? null : text.replaceAll("\r\n", "\n"), html: html === "" ? null : html }
    : {
        subject: subject || null,
        template_id: templateId,
        variables: toVariables(form.language, [...form.values.keys()], form.values),
      }),
  ...(sendAt === "" ? {} : { send_at: sendAt }),
});

interface NewEmailPageProps {
  senders: readonly MailboxRow[];
  form: EmailForm;
  templates: readonly TemplateName[];
  template: TemplateOut | null;
  /** True when the form was checked, and nothing is wrong with it. */
  isValid?: boolean;
}

/** Id of the form, which the buttons of the dialog with the templates submit. */
const FORM = "email";

/** The page that sends one email, written here or from a template, checks it without sending it, and shows it in a frame. */
export function NewEmailPage(props: NewEmailPageProps) {
  const { senders, templates } = props;
  const picker = senders.length === 0 ? null : <TemplatePicker templates={templates} form={FORM} />;
  return (
    <AppLayout title="New email" actions={picker}>
      {senders.length === 0 ? (
        <Empty action={{ href: "/app/mailboxes", label: "Create a mailbox", isMain: true }}>
          An email is sent from a mailbox, and this workspace has none yet.
        </Empty>
      ) : (
        <div class="beside">
          <EmailFields {...props} />
          <aside aria-label="Preview">
            <PreviewFrame />
          </aside>
        </div>
      )}
    </AppLayout>
  );
}

const EmailFields = ({ senders, form, template, isValid = false }: NewEmailPageProps) => {
  const isFilled = useViewer().submitted?.refusal !== undefined || template !== null || isValid;
  return (
    <Form id={FORM} action="/app/emails/new" data-previewed={isFilled ? "now" : ""} once>
      {/* Enter in a field presses the first button of the form. */}
      <button type="submit" hidden>
        Send
      </button>
      {isValid ? <Notice kind="good">Nothing is wrong with this email. It has not been sent yet.</Notice> : null}
      <Select
        name="from_"
        label="From"
        value={form.from}
        options={senders.map(({ address }) => ({ value: address, label: address }))}
      />
      <Field
        name="to"
        label="To"
        hint="One address, or several separated by commas. delivered@simulator.test accepts every email."
        value={form.to}
      />
      {template === null ? <OwnContent form={form} /> : <OfTemplate form={form} template={template} />}
      <TimeField name="send_at" label="Send at" hint="Leave empty to send now." at={form.sendAt} />
      <div class="actions">
        <Submit label="Send" />
        <Submit label="Check for problems" kind="quiet" action="check" />
        <UpdatePreview to="/app/emails/preview" />
      </div>
    </Form>
  );
};

type ContentProps = Pick<NewEmailPageProps, "form">;

const OwnContent = ({ form }: ContentProps) => (
  <>
    <Field name="subject" label="Subject" value={form.subject} maxlength={998} />
    <TextArea name="text" label="Text" hint="A text, HTML, or both." required={false} value={form.text} />
    <TextArea name="html" label="HTML" required={false} value={form.html} code />
  </>
);

/** The content of a template: a value for each of its placeholders, and a subject instead of its own. */
const OfTemplate = ({ form, template }: ContentProps & { template: TemplateOut }) => (
  <fieldset>
    <legend>Template {template.name}</legend>
    <input type="hidden" name="template_id" value={template.id} />
    <input type="hidden" name="language" value={template.language} />
    {/* Kept for the way back. An email by template has neither. */}
    {form.text === "" ? null : <input type="hidden" name="text" value={form.text} />}
    {form.html === "" ? null : <input type="hidden" name="html" value={form.html} />}
    <Field
      name="subject"
      label="Subject"
      required={template.subject === null}
      hint={template.subject === null ? "The template has none." : `Empty: ${template.subject}`}
      value={form.subject}
      maxlength={998}
    />
    {namesOf(template).map((name) => (
      <Field name={SAMPLE + name} label={name} required={false} value={form.values.get(name) ?? ""} />
    ))}
    <p class="hint">What has no value is left empty in the email. The preview shows its name.</p>
    <p>
      <Submit label="Write the content here instead" kind="link" action="own" isUnchecked />
    </p>
  </fieldset>
);
