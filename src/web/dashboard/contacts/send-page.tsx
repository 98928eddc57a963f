import type { CallerCtx } from "../../../access/caller.ts";
import type { ListOut } from "../../../audience/contacts/index.ts";
import type { Refusal } from "../../../http/page-form.ts";
import { Empty, ErrorList, Field, Form, Layout, Notice, Select, TextArea } from "../../../http/ui/index.ts";
import type { MailboxRow } from "../../../mailboxes/mailboxes/index.ts";
import type { TopicRow } from "../../../sending/topics/index.ts";
import { TopicSelect } from "../topic-select.tsx";

/** The fields of the form that mails a list, as they were filled in. */
export interface SendForm {
  mailbox_id: string;
  subject: string;
  html: string;
  text: string;
  topic_id: string;
  idempotencyKey: string;
}

interface SendPageProps {
  caller: CallerCtx;
  list: ListOut;
  senders: readonly MailboxRow[];
  topics: readonly TopicRow[];
  form: SendForm;
  refusal?: Refusal | undefined;
}

/** The page that sends one email to every contact of a list. */
export function SendPage({ caller, list, senders, topics, form, refusal }: SendPageProps) {
  const errors = refusal?.errors;
  return (
    <Layout title={`Send to ${list.name}`} caller={caller} at="/app/contacts">
      {senders.length === 0 ? (
        <Empty action={{ href: "/app/mailboxes", label: "Create a mailbox" }}>
          An email is sent from a mailbox, and this workspace has none yet.
        </Empty>
      ) : (
        <Form action={`/app/contacts/${list.id}/send`} once={form.idempotencyKey} refusal={refusal}>
          <p>
            {list.contact_count.toLocaleString("en")} {list.contact_count === 1 ? "contact gets" : "contacts get"} it,
            less those that are suppressed or have unsubscribed. For tests, schedules and results use a{" "}
            <a href="/app/broadcasts/new">broadcast</a>.
          </p>
          <div class="columns">
            <Select
              name="mailbox_id"
              label="From"
              errors={errors}
              value={form.mailbox_id}
              options={senders.map(({ id, address }) => ({ value: id, label: address }))}
            />
            <Field
              name="subject"
              label="Subject"
              hint="May have placeholders such as {{name}}."
              value={form.subject}
              errors={errors}
            />
          </div>
          <TopicSelect topics={topics} value={form.topic_id} errors={errors} />
          <TextArea name="html" label="HTML" required={false} rows={10} code value={form.html} errors={errors} />
          <TextArea name="text" label="Text" required={false} value={form.text} errors={errors} />
          <button type="submit">Send to {list.contact_count.toLocaleString("en")}</button>
        </Form>
      )}
    </Layout>
  );
}

/** Shows the emails that were queued for the contacts of a list. */
export const SentPage = ({
  caller,
  list,
  result: { queued, skipped, errors },
}: {
  caller: CallerCtx;
  list: ListOut;
  result: { queued: number; skipped: number; errors: string[] };
}) => (
  <Layout title={`Sent to ${list.name}`} caller={caller} at="/app/contacts">
    <Notice kind="good">
      {queued.toLocaleString("en")} queued, {skipped.toLocaleString("en")} skipped.
    </Notice>
    <ErrorList errors={errors} />
    <p>
      <a href="/app/emails">All emails</a>
    </p>
  </Layout>
);
