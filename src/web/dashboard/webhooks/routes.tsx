import { inputOf } from "../../../http/form-input.ts";
import { respondPage } from "../../../http/page.tsx";
import { button, change, creation, page, pagesOf, question } from "../../../http/page-actions.tsx";
import { withQuery } from "../../../lib/with-query.ts";
import {
  createWebhook,
  deleteWebhook,
  deliveryStatuses,
  getWebhook,
  listDeliveries,
  listWebhooks,
  testWebhook,
  toDeliveryItem,
  toWebhook,
  updateWebhook,
  WebhookIn,
  WebhookPatch,
} from "../../../notices/webhooks/index.ts";
import { PAGE_SIZE } from "../page-size.ts";
import { deliveryPages } from "./delivery-routes.tsx";
import { WebhookPage } from "./detail.tsx";
import { NewWebhookPage, SecretPage, valuesOf, WebhooksPage } from "./list.tsx";

const GET = "GET /v1/webhooks/:webhook_id";
const CREATE = "POST /v1/webhooks/";
const UPDATE = "PATCH /v1/webhooks/:webhook_id";

const readers = { events: (form: URLSearchParams) => form.getAll("event") };

export const webhookPages = pagesOf(
  "webhook",
  page("/app/webhooks", "GET /v1/webhooks/", async (c) => {
    const rows = await listWebhooks(c.get("caller"), { includePaused: true });
    return respondPage(c, <WebhooksPage webhooks={rows.map((row) => toWebhook(row))} />);
  }),
  page("/app/webhooks/new", CREATE, (c) => respondPage(c, <NewWebhookPage />)),
  creation("/app/webhooks/new", CREATE, {
    read: inputOf(WebhookIn, readers),
    run: createWebhook,
    to: (webhook, c) => respondPage(c, <SecretPage title="Your new webhook" webhook={webhook} />),
  }),
  page("/app/webhooks/:webhook_id", GET, async (c) => {
    const caller = c.get("caller");
    const webhook = toWebhook(await getWebhook(caller, c.req.param("webhook_id")));
    const status = deliveryStatuses.find((name) => name === c.req.query("status"));
    const before = c.req.query("before")?.toLowerCase();
    const { rows, total } = await listDeliveries(caller, webhook, { status, before, offset: 0, limit: PAGE_SIZE + 1 });
    const shown = rows.slice(0, PAGE_SIZE);
    const last = rows.length > PAGE_SIZE ? shown.at(-1) : undefined;
    const deliveries = {
      rows: shown.map((row) => ({ ...toDeliveryItem(row), recipient: row.recipient, subject: row.subject })),
      total,
      status: status ?? "",
    };
    return respondPage(c, <WebhookPage webhook={webhook} deliveries={deliveries} />, {
      next: last ? withQuery(`/app/webhooks/${webhook.id}`, { status, before: last.id }) : null,
    });
  }),
  change("/app/webhooks/:webhook_id", UPDATE, {
    read: inputOf(WebhookPatch, readers),
    run: updateWebhook,
    version: {
      stored: async (caller, id) => valuesOf(toWebhook(await getWebhook(caller, id))),
      entered: valuesOf,
    },
    done: { saved: "The webhook is saved." },
  }),
  button("/app/webhooks/:webhook_id/pause", UPDATE, {
    run: (caller, id) => updateWebhook(caller, id, { is_active: false }),
    done: { paused: "The webhook is paused. Events of this time are not delivered." },
  }),
  button("/app/webhooks/:webhook_id/resume", UPDATE, {
    run: (caller, id) => updateWebhook(caller, id, { is_active: true }),
    done: { resumed: "The webhook is active again." },
  }),
  button("/app/webhooks/:webhook_id/test", "POST /v1/webhooks/:webhook_id/test", {
    run: testWebhook,
    once: true,
    done: { tested: "A sample event is queued. Its delivery is in the list below." },
  }),
  question("/app/webhooks/:webhook_id/rotate", UPDATE, {
    of: getWebhook,
    title: "Make a new secret?",
    button: "Make new secret",
    text: ask("The old secret signs too for 24 hours, so your server can take over the new one in between."),
    run: (caller, id) => updateWebhook(caller, id, { rotate_secret: true }),
    to: (webhook, c) => respondPage(c, <SecretPage title="The new secret" webhook={webhook} />),
  }),
  question("/app/webhooks/:webhook_id/delete", "DELETE /v1/webhooks/:webhook_id", {
    of: getWebhook,
    title: "Delete this webhook?",
    button: "Delete webhook",
    text: ask("Deliveries that are not sent yet fail. This cannot be undone."),
    run: deleteWebhook,
    done: { deleted: "The webhook is deleted." },
  }),
  deliveryPages,
);

function ask(text: string) {
  return ({ url }: { url: string }) => (
    <>
      <span class="code">{url}</span>. {text}
    </>
  );
}
