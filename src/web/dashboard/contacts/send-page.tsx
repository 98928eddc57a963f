import type { BulkSendOut } from "../../../audience/broadcasts/index.ts";
import type { ListOut } from "../../../audience/contacts/index.ts";
import {
  AppLayout,
  counted,
  Empty,
  ErrorList,
  Field,
  Form,
  LinkLine,
  Notice,
  Select,
  TextArea,
} from "../../../http/ui/index.ts";
import type { MailboxRow } from "../../../mailboxes/mailboxes/index.ts";
import type { TopicRow } from "../../../sending/topics/index.ts";
import { TopicSelect } from "../topic-select.tsx";

interface SendPageProps {
  list: ListOut;
  senders: readonly MailboxRow[];
  topics: readonly TopicRow[];
}

/** The page that sends one email to every contact of a list. */
export const SendPage = ({ list, senders, topics }: SendPageProps) => (
  <AppLayout title={`Send to ${list.name}`}>
    {senders.length === 0 ? (
      <Empty action={{ href: "/app/mailboxes", label: "Create a mailbox" }}>
        An email is sent from a mailbox, and this workspace has none yet.
      </Empty>
    ) : (
      <Form action={`/app/contacts/${list.id}/send`} once>
        <p>
          The list has {counted(list.contact_count, "contact")}. Those that are suppressed or have unsubscribed get
          nothing. For tests, schedules and results use a <a href="/app/broadcasts/new">broadcast</a>.
        </p>
        <div class="columns">
          <Select
            name="mailbox_id"
            label="From"
            options={senders.map(({ id, address }) => ({ value: id, label: address }))}
          />
          <Field name="subject" label="Subject" hint="May have placeholders such as {{name}}." />
        </div>
        <TopicSelect topics={topics} value="" />
        <TextArea name="html" label="HTML" required={false} rows={10} code />
        <TextArea name="text" label="Text" required={false} />
        <button type="submit">Send to the list</button>
      </Form>
    )}
  </AppLayout>
);

/** Shows the emails that were queued for the contacts of a list. */
export const SentPage = ({ list, result }: { list: ListOut; result: BulkSendOut }) => (
  <AppLayout title={`Sent to ${list.name}`}>
    <Notice kind="good">
      {result.queued.toLocaleString("en")} queued, {result.skipped.toLocaleString("en")} skipped.
    </Notice>
    <ErrorList errors={result.errors} />
    <LinkLine to="/app/emails" label="All emails" />
  </AppLayout>
);
