import { ErrorSummary, Field, type FieldErrors, Notice, TextArea } from "../../http/ui/index.ts";
import { inMiB } from "../../lib/bytes.ts";
import { MAX_FILE_BYTES } from "../../mailboxes/inbox/index.ts";
import type { ComposeForm, FormFile } from "./compose-form.ts";
import { type OpenPage, WebmailLayout } from "./layout.tsx";
import { toSize } from "./size.ts";

interface ComposePageProps {
  page: OpenPage;
  form: ComposeForm;
  refusal?: { message: string; errors: FieldErrors } | undefined;
  notice?: string | undefined;
  /** Addresses that the mailbox writes to most. */
  known: readonly { email: string }[];
  /** The text that the script shows after it has saved the draft. */
  saved?: string | undefined;
}

/** The form that writes a message. It is sent after a minute in which sending can be undone, or at once. */
export function ComposePage({ page, form, known, refusal, notice, saved }: ComposePageProps) {
  const isReply = form.inReplyTo !== "" || form.text !== "";
  return (
    <WebmailLayout {...page} title="New message" current="compose">
      <article class="compose">
        <h1>New message</h1>
        {notice === undefined ? null : <Notice kind="good">{notice}</Notice>}
        <ErrorSummary refusal={refusal} />
        <form method="post" enctype="multipart/form-data" data-autosave="">
          <input type="hidden" name="idempotency_key" value={form.idempotencyKey} />
          <input type="hidden" name="in_reply_to" value={form.inReplyTo} />
          <input type="hidden" name="draft" value={form.draft} />
          <Field
            {...{ name: "to", label: "To", value: form.to, errors: refusal?.errors, autofocus: !isReply }}
            list="known-addresses"
            hint="Addresses, separated by commas"
          />
          <details open={form.cc !== "" || form.bcc !== "" || refusal?.errors.has("cc") || refusal?.errors.has("bcc")}>
            <summary>Cc and Bcc</summary>
            <Field
              {...{ name: "cc", label: "Cc", value: form.cc, required: false, errors: refusal?.errors }}
              list="known-addresses"
            />
            <Field
              {...{ name: "bcc", label: "Bcc", value: form.bcc, required: false, errors: refusal?.errors }}
              list="known-addresses"
            />
          </details>
          <datalist id="known-addresses">
            {known.map(({ email }) => (
              <option value={email} />
            ))}
          </datalist>
          <Field
            {...{ name: "subject", label: "Subject", value: form.subject, errors: refusal?.errors, maxlength: 998 }}
            required={false}
          />
          <TextArea
            {...{ name: "text", label: "Text", value: form.text, rows: 16, errors: refusal?.errors }}
            autofocus={isReply && form.to !== ""}
          />
          <Files files={form.files} errors={refusal?.errors} />
          <div class="actions">
            <button type="submit" name="action" value="send">
              Send
            </button>
            <button type="submit" class="quiet" name="action" value="draft" formnovalidate>
              Save draft
            </button>
            <button type="submit" class="quiet" name="action" value="now">
              Send without undo
            </button>
          </div>
          <p class="hint">“Send” leaves a minute in which you can undo it.</p>
          <p class="hint" role="status" data-save-status="">
            {saved}
          </p>
        </form>
      </article>
    </WebmailLayout>
  );
}

/** The files of the message, of which a checked one is sent, and the field that adds more. */
const Files = ({ files, errors }: { files: readonly FormFile[]; errors: FieldErrors | undefined }) => (
  <div class="attach">
    <fieldset
      id="files"
      data-bytes={String(files.reduce((sum, { size }) => sum + size, 0))}
      hidden={files.length === 0}
    >
      <legend>Attached files</legend>
      {files.map(({ ref, name, size }) => (
        <label class="choice">
          <input type="checkbox" name="file" value={ref} checked />
          <span>
            {name} <span class="soft">{toSize(size)}</span>
          </span>
        </label>
      ))}
      <p class="hint">A file that is not checked is left out.</p>
    </fieldset>
    <Field
      {...{ name: "upload", label: "Attach files", type: "file", multiple: true, maxBytes: MAX_FILE_BYTES, errors }}
      required={false}
      hint={`At most ${inMiB(MAX_FILE_BYTES)} together`}
    />
    <button type="submit" class="quiet" name="action" value="attach" formnovalidate>
      Attach
    </button>
  </div>
);
