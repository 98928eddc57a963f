import { type AppContext, newRoutes } from "../../../http/env.ts";
import { respondPage } from "../../../http/page.tsx";
import { attempt, changeByForm, onceForForm, pageFor, parseFields, submitForm } from "../../../http/page-routes.ts";
import { ConfirmPage } from "../../../http/ui/index.ts";
import { requireVersion } from "../../../lib/form-version.ts";
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
import { NewWebhookPage, SecretPage, valuesOf, type WebhookForm, WebhooksPage } from "./list.tsx";

const GET = "GET /v1/webhooks/:webhook_id";
const CREATE = "POST /v1/webhooks/";
const UPDATE = "PATCH /v1/webhooks/:webhook_id";
const DELETE = "DELETE /v1/webhooks/:webhook_id";

const notices = {
  saved: "The webhook is saved.",
  tested: "A sample event is queued. Its delivery is in the list below.",
  paused: "The webhook is paused. Events of this time are not delivered.",
  resumed: "The webhook is active again.",
  deleted: "The webhook is deleted.",
};

export const webhookPages = newRoutes()
  .get("/app/webhooks", ...pageFor("GET /v1/webhooks/"), async (c) => {
    const rows = await listWebhooks(c.get("caller"), { includePaused: true });
    return respondPage(c, <WebhooksPage webhooks={rows.map((row) => toWebhook(row))} />, { notices });
  })
  .get("/app/webhooks/new", ...pageFor(CREATE), showNew)
  .post("/app/webhooks/new", ...pageFor(CREATE), (c) =>
    submitForm(c, showNew, async (fields) => {
      const request = readFields(fields);
      const input = parseFields(WebhookIn, request);
      const webhook = await onceForForm(c, (ctx) => createWebhook(ctx, input));
      return respondPage(c, <SecretPage title="Your new webhook" webhook={webhook} />);
    }),
  )
  .get("/app/webhooks/:webhook_id", ...pageFor(GET), showWebhook)
  .post("/app/webhooks/:webhook_id", ...pageFor(UPDATE), (c) =>
    changeByForm(c, PAGE, "saved", async (caller, id, fields) => {
      const request = readFields(fields);
      const patch = parseFields(WebhookPatch, request);
      const stored = toWebhook(await getWebhook(caller, id));
      requireVersion(fields.get("version") ?? "", valuesOf(stored), valuesOf(request));
      await updateWebhook(caller, id, patch);
    }),
  )
  .post("/app/webhooks/:webhook_id/pause", ...pageFor(UPDATE), (c) =>
    changeByForm(c, PAGE, "paused", (caller, id) => updateWebhook(caller, id, { is_active: false })),
  )
  .post("/app/webhooks/:webhook_id/resume", ...pageFor(UPDATE), (c) =>
    changeByForm(c, PAGE, "resumed", (caller, id) => updateWebhook(caller, id, { is_active: true })),
  )
  .post("/app/webhooks/:webhook_id/test", ...pageFor("POST /v1/webhooks/:webhook_id/test"), (c) =>
    changeByForm(c, PAGE, "tested", (_, id) => onceForForm(c, (ctx) => testWebhook(ctx, id))),
  )
  .get("/app/webhooks/:webhook_id/rotate", ...pageFor(UPDATE), (c) =>
    confirm(c, {
      title: "Make a new secret?",
      button: "Make new secret",
      text: "The old secret signs too for 24 hours, so your server can take over the new one in between.",
    }),
  )
  .post("/app/webhooks/:webhook_id/rotate", ...pageFor(UPDATE), (c) =>
    attempt(c, showWebhook, async () => {
      const webhook = await updateWebhook(c.get("caller"), c.req.param("webhook_id"), { rotate_secret: true });
      return respondPage(c, <SecretPage title="The new secret" webhook={webhook} />);
    }),
  )
  .get("/app/webhooks/:webhook_id/delete", ...pageFor(DELETE), (c) =>
    confirm(c, {
      title: "Delete this webhook?",
      button: "Delete webhook",
      text: "Deliveries that are not sent yet fail. This cannot be undone.",
    }),
  )
  .post("/app/webhooks/:webhook_id/delete", ...pageFor(DELETE), async (c) => {
    await deleteWebhook(c.get("caller"), c.req.param("webhook_id"));
    return c.redirect("/app/webhooks?done=deleted", 303);
  })
  .route("/", deliveryPages);

const readFields = (form: URLSearchParams): WebhookForm => ({
  url: form.get("url")?.trim() ?? "",
  events: form.getAll("event"),
});

const PAGE = { parameter: "webhook_id", show: showWebhook, pathOf: (id: string) => `/app/webhooks/${id}` };

async function confirm(c: AppContext, { title, button, text }: { title: string; button: string; text: string }) {
  const { id, url } = await getWebhook(c.get("caller"), c.req.param("webhook_id") ?? "");
  return respondPage(
    c,
    <ConfirmPage title={title} button={button} back={`/app/webhooks/${id}`}>
      <span class="code">{url}</span>. {text}
    </ConfirmPage>,
  );
}

function showNew(c: AppContext) {
  return respondPage(c, <NewWebhookPage />);
}

async function showWebhook(c: AppContext) {
  const caller = c.get("caller");
  const webhook = toWebhook(await getWebhook(caller, c.req.param("webhook_id") ?? ""));
  const status = deliveryStatuses.find((name) => name === c.req.query("status"));
  const before = c.req.query("before")?.toLowerCase();
  const { rows, total } = await listDeliveries(caller, webhook, { status, before, offset: 0, limit: PAGE_SIZE + 1 });
  const shown = rows.slice(0, PAGE_SIZE);
  const last = rows.length > PAGE_SIZE ? shown.at(-1) : undefined;
  const next = last && new URLSearchParams({ ...(status === undefined ? {} : { status }), before: last.id });
  const page = (
    <WebhookPage
      webhook={webhook}
      deliveries={{
        rows: shown.map(toDeliveryItem),
        total,
        status: status ?? "",
      }}
    />
  );
  return respondPage(c, page, { notices, next: next ? `/app/webhooks/${webhook.id}?${next}` : null });
}
