import type { CallerCtx } from "../../../access/caller.ts";
import type { Refusal } from "../../../http/page-form.ts";
import {
  ButtonLink,
  CheckGroup,
  Empty,
  Facts,
  Field,
  type FieldErrors,
  Form,
  Layout,
  List,
  Notice,
  Status,
  Time,
} from "../../../http/ui/index.ts";
import type { FormValues } from "../../../lib/form-version.ts";
import type { WebhookOut } from "../../../notices/webhooks/index.ts";
import { webhookEventTypes } from "../../../platform/webhook-events/rules.ts";
import { curlLine } from "../curl-line.ts";

export const mayManage = ({ actor }: CallerCtx) => actor.scopes.has("webhooks:manage");
export const statusOf = ({ is_active }: WebhookOut) => (is_active ? "active" : "paused");

interface WebhooksPageProps {
  caller: CallerCtx;
  webhooks: readonly WebhookOut[];
  notice?: string | undefined;
}

/** The webhooks of the workspace. */
export const WebhooksPage = ({ caller, webhooks, notice }: WebhooksPageProps) => (
  <Layout
    title="Webhooks"
    caller={caller}
    at="/app/webhooks"
    actions={mayManage(caller) ? <ButtonLink to="/app/webhooks/new" label="New webhook" /> : null}
    notice={notice}
  >
    {webhooks.length === 0 ? (
      <Empty
        action={mayManage(caller) ? { href: "/app/webhooks/new", label: "Create a webhook" } : undefined}
        command={curlLine(caller, "/v1/webhooks/", {
          url: "https://hooks.example.com/email",
          events: ["email.bounced"],
        })}
      >
        No webhook yet. A webhook posts events, such as bounces, to your server.
      </Empty>
    ) : (
      <List
        caption="Webhooks"
        columns={["Status", "URL", "Events", "Created"]}
        rows={webhooks.map((webhook) => [
          <Status word={statusOf(webhook)} />,
          <a href={`/app/webhooks/${webhook.id}`}>{webhook.url}</a>,
          namesOf(webhook.events),
          <Time at={webhook.created_at} />,
        ])}
      />
    )}
  </Layout>
);

/** Returns the types of events without their common beginning. */
export const namesOf = (events: readonly string[]) =>
  events.length === webhookEventTypes.length ? "all" : events.map((event) => event.replace(/^email\./, "")).join(", ");

/** The fields of a webhook, as they were filled in. */
export interface WebhookForm {
  url: string;
  events: readonly string[];
}

/** Returns what the form shows and changes, by label. */
export const valuesOf = ({ url, events }: WebhookForm): FormValues => ({
  URL: url,
  Events: events.toSorted().join(", "),
});

export const WebhookFields = ({ url, events, errors }: WebhookForm & { errors: FieldErrors | undefined }) => (
  <>
    <Field
      name="url"
      label="URL"
      hint="https, on a public host. Redirects are not followed."
      placeholder="https://hooks.example.com/email"
      value={url}
      errors={errors}
      maxlength={2048}
    />
    <CheckGroup
      id="events"
      name="event"
      legend="Events"
      options={webhookEventTypes.map((type) => ({ value: type, label: type }))}
      chosen={events}
      errors={errors}
    />
  </>
);

interface NewWebhookPageProps {
  caller: CallerCtx;
  form: WebhookForm & { idempotencyKey: string };
  refusal?: Refusal | undefined;
}

/** The page that creates a webhook. */
export const NewWebhookPage = ({ caller, form, refusal }: NewWebhookPageProps) => (
  <Layout title="New webhook" caller={caller} at="/app/webhooks">
    <Form class="form" action="/app/webhooks/new" once={form.idempotencyKey} refusal={refusal}>
      <WebhookFields url={form.url} events={form.events} errors={refusal?.errors} />
      <button type="submit">Create webhook</button>
    </Form>
  </Layout>
);

interface SecretPageProps {
  caller: CallerCtx;
  title: string;
  webhook: WebhookOut;
}

/** The response that shows a secret: the only page that does. */
export const SecretPage = ({ caller, title, webhook }: SecretPageProps) => (
  <Layout title={title} caller={caller} at="/app/webhooks">
    <Notice kind="warn">Copy the secret now. It is not shown again.</Notice>
    {webhook.warning === undefined ? null : <Notice kind="warn">{webhook.warning}</Notice>}
    <Facts of={{ URL: webhook.url, Secret: { code: webhook.secret, copy: "the secret" } }} />
    <p>
      Each request has the header <span class="code">X-Service-Signature</span>: sha256= and the HMAC-SHA256, in
      hexadecimal, of its timestamp, delivery id, event and body, joined by dots. The secret is the key.
    </p>
    <p>
      <ButtonLink to={`/app/webhooks/${webhook.id}`} label="I have copied it" />
    </p>
  </Layout>
);
