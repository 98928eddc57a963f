import { ErrorSummary, Field, Form, Icon, Select, Submit, TimeField, useError } from "../../http/ui/index.ts";
import { inMiB } from "../../lib/bytes.ts";
import { MAX_FILE_BYTES } from "../../mailboxes/inbox/index.ts";
import type { ComposeForm, FormFile } from "./compose-form.ts";
import { DoneNotice, type OpenPage, WebmailLayout } from "./layout.tsx";
import type { OpenForm } from "./open-form.ts";
import { composePath } from "./paths.ts";
import { RichText } from "./rich-text.tsx";
import { toSize } from "./size.ts";
import { NoDefault } from "./toolbar.tsx";

interface ComposePageProps extends OpenForm {
  page: OpenPage;
  /** The text that the script shows after it has saved the draft. */
  saved?: string | undefined;
}

/** Returns the heading of a form. */
export const titleOf = ({ inReplyTo, draft }: ComposeForm) =>
  inReplyTo !== "" ? "Reply" : draft !== "" ? "Draft" : "New message";

/** The page that writes a message. */
export const ComposePage = (props: ComposePageProps) => (
  <WebmailLayout {...props.page} title={titleOf(props.form)} current="compose">
    <h1>{titleOf(props.form)}</h1>
    <DoneNotice />
    <ErrorSummary />
    <MessageForm {...props} />
  </WebmailLayout>
);

/** The form that writes a message. It is sent after a minute in which sending can be undone, or at once. */
export const MessageForm = ({ page, form, known, savedReplies, saved }: ComposePageProps) => (
  <Form
    class="compose"
    action={composePath(page.mailbox.id)}
    enctype="multipart/form-data"
    data-autosave=""
    refills={false}
    fields={{
      idempotency_key: form.idempotencyKey,
      in_reply_to: form.inReplyTo,
      answered: form.isAnswered ? "1" : "",
      draft: form.draft,
      back: form.back,
    }}
  >
    <NoDefault />
    <Head form={form} mailbox={page.mailbox} />
    <datalist id="known-addresses">
      {known.map(({ email }) => (
        <option value={email} />
      ))}
    </datalist>
    <RichText
      label="Text"
      text={form.text}
      html={form.html}
      format={form.format}
      rows={16}
      autofocus={form.to !== ""}
    />
    <Files files={form.files} />
    <footer class="actions">
      <Submit label="Send" icon="send" action="send" />
      <Submit label="Save draft" kind="quiet" action="draft" isUnchecked />
      <Submit label="Send without undo" kind="quiet" action="now" />
      <Later sendAt={form.sendAt} />
      <SavedReplies of={savedReplies} />
      <p class="hint" role="status" data-save-status="">
        {saved}
      </p>
      <p class="hint send-hint">“Send” leaves a minute in which you can undo it.</p>
    </footer>
  </Form>
);

const Later = ({ sendAt }: Pick<ComposeForm, "sendAt">) => (
  <details class="later" open={sendAt !== "" || useError("send_at") !== undefined}>
    <summary>Send later</summary>
    <TimeField name="send_at" label="Time" hint="At most 30 days ahead." at={sendAt} />
    <Submit label="Schedule" kind="quiet" action="later" />
  </details>
);

/** The choice of a saved reply, which is inserted above the text. */
const SavedReplies = ({ of }: { of: ComposePageProps["savedReplies"] }) =>
  of.length === 0 ? null : (
    <details class="later">
      <summary>Saved reply</summary>
      <Select name="saved_reply" label="Reply" options={of.map(({ id, name }) => ({ value: id, label: name }))} />
      <p>
        <Submit label="Insert" kind="quiet" action="insert" isUnchecked />
      </p>
    </details>
  );

function Head({ form, mailbox }: Pick<ComposePageProps, "form"> & Pick<OpenPage, "mailbox">) {
  const address = { list: "known-addresses", placeholder: "ada@example.org, …" };
  const isRefused = useError("cc") !== undefined || useError("bcc") !== undefined;
  return (
    <div class="head">
      {mailbox.aliases.length === 0 ? null : (
        <Select name="from" label="From" value={form.from} options={[mailbox.address, ...mailbox.aliases]} />
      )}
      <Field name="to" label="To" value={form.to} autofocus={form.to === ""} {...address} />
      <details open={form.cc !== "" || form.bcc !== "" || isRefused}>
        <summary>Cc and Bcc</summary>
        <Field name="cc" label="Cc" value={form.cc} required={false} {...address} />
        <Field name="bcc" label="Bcc" value={form.bcc} required={false} {...address} />
      </details>
      <Field name="subject" label="Subject" value={form.subject} maxlength={998} required={false} />
    </div>
  );
}

const Files = ({ files }: { files: readonly FormFile[] }) => (
  <div class="attach">
    <ul
      id="files"
      class="files"
      aria-label="Attached files"
      data-bytes={String(files.reduce((sum, { size }) => sum + size, 0))}
      hidden={files.length === 0}
    >
      {files.map(({ ref, name, size }) => (
        <li>
          <input type="hidden" name="file" value={ref} />
          <Icon name="attach" />
          <span>{name}</span>
          <span class="soft">{toSize(size)}</span>
          <Submit
            label="Remove"
            kind="bare"
            icon="close"
            action={`remove:${ref}`}
            name={`Remove ${name}`}
            isUnchecked
          />
        </li>
      ))}
    </ul>
    <Field
      name="upload"
      label="Attach files"
      type="file"
      multiple
      maxBytes={MAX_FILE_BYTES}
      required={false}
      hint={`At most ${inMiB(MAX_FILE_BYTES)} together`}
    />
    <Submit label="Attach" kind="quiet" action="attach" isUnchecked />
  </div>
);
