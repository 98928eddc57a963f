import { ButtonLink, Form, Submit } from "../../http/ui/index.ts";
import type { BulkActionForm } from "./bulk-actions.ts";
import { type OpenPage, WebmailLayout } from "./layout.tsx";

/** The page that asks before messages are deleted for good. With the script, a dialog asks instead. */
export function PermanentDeletePage({ page, form, back }: { page: OpenPage; form: BulkActionForm; back: string }) {
  const messages = [...form.uids].flatMap(([folder, uids]) => uids.map((uid) => `${uid}:${folder}`));
  const [count, noun] = form.threads.length > 0 ? [form.threads.length, "conversation"] : [messages.length, "message"];
  const what = count === 1 ? `this ${noun}` : `these ${count} ${noun}s`;
  return (
    <WebmailLayout {...page} title={`Delete ${what}?`} current="Trash">
      <h1>Delete {what} for good?</h1>
      <p>
        Text and files of {what} in Trash are deleted from {page.mailbox.address}. This cannot be undone.
      </p>
      <Form class="actions" fields={{ confirmed: "yes" }}>
        {form.upTo === null ? null : <input type="hidden" name="up_to" value={String(form.upTo)} />}
        {form.threads.map((thread) => (
          <input type="hidden" name="thread" value={thread} />
        ))}
        {messages.map((message) => (
          <input type="hidden" name="uid" value={message} />
        ))}
        <Submit label="Delete for good" kind="danger final" action={form.action} />
        <ButtonLink to={back} label="Cancel" kind="quiet" />
      </Form>
    </WebmailLayout>
  );
}
