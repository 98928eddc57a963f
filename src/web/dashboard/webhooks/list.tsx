import { fieldsOf } from "../../../http/form-fields.tsx";
import {
  AppLayout,
  ButtonLine,
  ButtonLink,
  CheckGroup,
  Empty,
  Facts,
  Form,
  List,
  Notice,
  Status,
  Time,
  useScope,
} from "../../../http/ui/index.ts";
import type { FormValues } from "../../../lib/form-version.ts";
import { WebhookIn, type WebhookOut, type WebhookPatch } from "../../../notices/webhooks/index.ts";
import { webhookEventTypes } from "../../../platform/webhook-events/rules.ts";

const { Field } = fieldsOf(WebhookIn);

export const mayManage = () => useScope("webhooks:manage");
export const statusOf = ({ is_active }: WebhookOut) => (is_active ? "active" : "paused");

/** The webhooks of the workspace. */
export const WebhooksPage = ({ webhooks }: { webhooks: readonly WebhookOut[] }) => (
  <AppLayout
    title="Webhooks"
    actions={mayManage() ? <ButtonLink to="/app/webhooks/new" label="New webhook" icon="plus" /> : null}
  >
    <List
      caption="Webhooks"
      columns={["Status", "URL", "Events", "Created"]}
      empty={
        <Empty
          action={mayManage() ? { href: "/app/webhooks/new", label: "Create a webhook" } : undefined}
          command={{
            path: "/v1/webhooks/",
            body: { url: "https://hooks.example.com/email", events: ["email.bounced"] },
          }}
        >
          No webhook yet. A webhook posts events, such as bounces, to your server.
        </Empty>
      }
      rows={webhooks.map((webhook) => [
        <Status word={statusOf(webhook)} />,
        <a href={`/app/webhooks/${webhook.id}`}>{webhook.url}</a>,
        namesOf(webhook.events),
        <Time at={webhook.created_at} />,
      ])}
    />
  </AppLayout>
);

/** Returns the types of events without their common beginning. */
export const namesOf = (events: readonly string[]) =>
  events.length === webhookEventTypes.length ? "all" : events.map((event) => event.replace(/^email\./, "")).join(", ");

/** Returns what the form shows and changes, by label. */
export const valuesOf = ({ url = "", events = [] }: WebhookPatch): FormValues => ({
  URL: url,
  Events: events.toSorted().join(", "),
});

export const WebhookFields = ({ url, events }: { url: string; events: readonly string[] }) => (
  <>
    <Field
      name="url"
      label="URL"
      hint="https, on a public host. Redirects are not followed."
      placeholder="https://hooks.example.com/email"
      value={url}
    />
    <CheckGroup id="events" name="event" legend="Events" options={webhookEventTypes} chosen={events} />
  </>
);

/** The page that creates a webhook. */
export const NewWebhookPage = () => (
  <AppLayout title="New webhook">
    <Form class="form" action="/app/webhooks/new" once>
      <WebhookFields url="" events={["email.bounced", "email.failed"]} />
      <button type="submit">Create webhook</button>
    </Form>
  </AppLayout>
);

/** The response that shows a secret: the only page that does. */
export const SecretPage = ({ title, webhook }: { title: string; webhook: WebhookOut }) => (
  <AppLayout title={title}>
    <Notice kind="warn">Copy the secret now. It is not shown again.</Notice>
    {webhook.warning === undefined ? null : <Notice kind="warn">{webhook.warning}</Notice>}
    <Facts of={{ URL: webhook.url, Secret: { code: webhook.secret, copy: "the secret" } }} />
    <p>
      Each request has the header <span class="code">X-Service-Signature</span>: sha256= and the HMAC-SHA256, in
      hexadecimal, of its timestamp, delivery id, event and body, joined by dots. The secret is the key.
    </p>
    <ButtonLine to={`/app/webhooks/${webhook.id}`} label="I have copied it" />
  </AppLayout>
);
