import type { CallerCtx } from "../../../access/caller.ts";
import type { BroadcastOut } from "../../../audience/broadcasts/index.ts";
import type { ListOut } from "../../../audience/contacts/index.ts";
import type { Refusal } from "../../../http/page-form.ts";
import { readTime } from "../../../http/time-field.ts";
import {
  Empty,
  ErrorSummary,
  Field,
  Layout,
  Select,
  TextArea,
  TimeField,
  VersionField,
} from "../../../http/ui/index.ts";
import { type FormValues, versionOf } from "../../../lib/form-version.ts";
import type { MailboxRow } from "../../../mailboxes/mailboxes/index.ts";

/** The fields of the form of a broadcast, as they were filled in. */
export interface BroadcastForm {
  name: string;
  subject: string;
  from_address: string;
  contact_list_id: string;
  preheader: string;
  html_body: string;
  text_body: string;
  /** In ISO 8601. Empty: a draft. */
  scheduled_at: string;
  /** The stored time, in ISO 8601: the field has no seconds. Empty: nothing. */
  stored_scheduled_at: string;
  /** Empty: no limit. */
  max_per_hour: string;
  /** Empty: the whole list at once. */
  ab_test_pct: string;
  idempotencyKey: string;
  /** Of what the form began from. Empty: a new broadcast. */
  version: string;
}

/** Returns the form of a broadcast, or an empty one. */
export function toBroadcastForm(broadcast: BroadcastOut | null): BroadcastForm {
  const form = toForm(broadcast);
  return { ...form, version: broadcast === null ? "" : versionOf(valuesOf(form)) };
}

/** Returns what the form shows and changes, by label. */
export const valuesOf = (form: BroadcastForm): FormValues => ({
  Name: form.name,
  Subject: form.subject,
  From: form.from_address,
  "To the list": form.contact_list_id,
  "Preview text": form.preheader,
  HTML: form.html_body,
  Text: form.text_body,
  "Send at": form.scheduled_at,
  "Emails an hour": form.max_per_hour,
  "Sample in percent": form.ab_test_pct,
});

const toForm = (broadcast: BroadcastOut | null): BroadcastForm => ({
  name: broadcast?.name ?? "",
  subject: broadcast?.subject ?? "",
  from_address: broadcast?.from_address ?? "",
  contact_list_id: broadcast?.contact_list_id ?? "",
  preheader: broadcast?.preheader ?? "",
  html_body: broadcast?.html_body ?? "",
  text_body: broadcast?.text_body ?? "",
  scheduled_at: broadcast?.scheduled_at ?? "",
  stored_scheduled_at: broadcast?.scheduled_at ?? "",
  max_per_hour: broadcast?.max_per_hour ? String(broadcast.max_per_hour) : "",
  ab_test_pct: broadcast?.ab_test_pct ? String(broadcast.ab_test_pct) : "",
  idempotencyKey: crypto.randomUUID(),
  version: "",
});

export function readBroadcastForm(fields: URLSearchParams): BroadcastForm {
  const field = (name: string) => (fields.get(name) ?? "").replaceAll("\r\n", "\n");
  return {
    ...{ name: field("name"), subject: field("subject"), from_address: field("from_address") },
    ...{ contact_list_id: field("contact_list_id"), preheader: field("preheader"), html_body: field("html_body") },
    ...{ text_body: field("text_body"), ab_test_pct: field("ab_test_pct") },
    scheduled_at: readTime(fields, "scheduled_at", field("stored_scheduled_at")),
    ...{ stored_scheduled_at: field("stored_scheduled_at"), max_per_hour: field("max_per_hour") },
    idempotencyKey: field("idempotency_key"),
    version: field("version"),
  };
}

/** Returns the request of the API with the fields of a form. */
export const toBroadcastRequest = (form: BroadcastForm) => ({
  name: form.name,
  subject: form.subject,
  from_address: form.from_address,
  contact_list_id: form.contact_list_id || null,
  preheader: form.preheader || null,
  html_body: form.html_body || null,
  text_body: form.text_body || null,
  scheduled_at: form.scheduled_at || null,
  max_per_hour: form.max_per_hour === "" ? null : Number(form.max_per_hour),
  ab_test_pct: form.ab_test_pct === "" ? null : Number(form.ab_test_pct),
});

interface BroadcastFormPageProps {
  caller: CallerCtx;
  /** Null: a new one. */
  broadcast: BroadcastOut | null;
  form: BroadcastForm;
  senders: readonly MailboxRow[];
  lists: readonly ListOut[];
  refusal?: Refusal | undefined;
}

/** The page that writes or changes a broadcast. */
export function BroadcastFormPage({ caller, broadcast, form, senders, lists, refusal }: BroadcastFormPageProps) {
  const errors = refusal?.errors;
  return (
    <Layout
      title={broadcast === null ? "New broadcast" : `Change ${broadcast.name}`}
      caller={caller}
      at="/app/broadcasts"
    >
      {senders.length === 0 ? (
        <Empty action={{ href: "/app/mailboxes", label: "Create a mailbox" }}>
          A broadcast is sent from a mailbox.
        </Empty>
      ) : (
        <form method="post">
          <ErrorSummary refusal={refusal} />
          <input type="hidden" name="idempotency_key" value={form.idempotencyKey} />
          <VersionField version={form.version} refusal={refusal} />
          <input type="hidden" name="stored_scheduled_at" value={form.stored_scheduled_at} />
          <div class="columns">
            <Field name="name" label="Name" hint="Recipients do not see this." value={form.name} errors={errors} />
            <Field
              name="subject"
              label="Subject"
              hint="May have placeholders such as {{name}}."
              value={form.subject}
              errors={errors}
            />
            <Select
              name="from_address"
              label="From"
              value={form.from_address}
              errors={errors}
              options={[
                ...(form.from_address && !senders.some(({ address }) => address === form.from_address)
                  ? [{ value: form.from_address, label: form.from_address }]
                  : []),
                ...senders.map(({ address }) => ({ value: address, label: address })),
              ]}
            />
            <Select
              name="contact_list_id"
              label="Audience"
              required={false}
              value={form.contact_list_id}
              errors={errors}
              options={[
                { value: "", label: "Choose a list" },
                ...lists.map(({ id, name, contact_count: contacts }) => ({
                  value: id,
                  label: `${name} (${contacts})`,
                })),
              ]}
            />
            <Field
              name="preheader"
              label="Preview text"
              required={false}
              hint="Mail programs show it after the subject."
              value={form.preheader}
              errors={errors}
            />
            <TimeField
              name="scheduled_at"
              label="Send at"
              hint="Empty: it stays a draft."
              at={form.scheduled_at}
              errors={errors}
            />
            <Field
              name="max_per_hour"
              label="Emails an hour"
              inputmode="numeric"
              required={false}
              hint="At most this many. Empty: as fast as it goes."
              value={form.max_per_hour}
              errors={errors}
            />
            <Field
              name="ab_test_pct"
              label="Sample in percent"
              inputmode="numeric"
              required={false}
              hint="With variants: mailed first, from 5 to 90."
              value={form.ab_test_pct}
              errors={errors}
            />
          </div>
          <TextArea
            name="html_body"
            label="HTML"
            required={false}
            rows={12}
            code
            hint="Link to {{unsubscribe_url}}, or a link is added."
            value={form.html_body}
            errors={errors}
          />
          <TextArea name="text_body" label="Text" required={false} value={form.text_body} errors={errors} />
          <button type="submit">Save</button>
        </form>
      )}
    </Layout>
  );
}
