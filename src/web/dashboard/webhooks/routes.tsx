import type { Context } from "hono";
import { Hono } from "hono";
import type { AppEnv } from "../../../http/env.ts";
import { readForm } from "../../../http/fields.ts";
import { onceForForm } from "../../../http/idempotency.ts";
import { respondPage } from "../../../http/page.tsx";
import { parseFields, type Refusal, submitForm } from "../../../http/page-form.ts";
import { pageFor } from "../../../http/page-right.ts";
import { ConfirmPage } from "../../../http/ui/index.ts";
import { requireVersion, versionOf } from "../../../lib/form-version.ts";
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

const notices: Readonly<Record<string, string>> = {
  saved: "The webhook is saved.",
  tested: "A sample event is queued. Its delivery is in the list below.",
  paused: "The webhook is paused. Events of this time are not delivered.",
  resumed: "The webhook is active again.",
  deleted: "The webhook is deleted.",
};

export const webhookPages = new Hono<AppEnv>()
  .get("/app/webhooks", ...pageFor("GET /v1/webhooks/"), async (c) => {
    const rows = await listWebhooks(c.get("caller"), { includePaused: true });
    const notice = notices[c.req.query("done") ?? ""];
    const webhooks = rows.map((row) => toWebhook(row));
    return respondPage(c, <WebhooksPage caller={c.get("caller")} webhooks={webhooks} notice={notice} />);
  })
  .get("/app/webhooks/new", ...pageFor(CREATE), (c) =>
    showForm(c, { url: "", events: ["email.bounced", "email.failed"], idempotencyKey: crypto.randomUUID() }),
  )
  .post("/app/webhooks/new", ...pageFor(CREATE), async (c) => {
    const fields = await readForm(c);
    const request = readFields(fields);
    const form = { ...request, idempotencyKey: fields.get("idempotency_key") ?? "" };
    const caller = c.get("caller");
    return submitForm(
      c,
      async () => {
        const input = parseFields(WebhookIn, request);
        const text = JSON.stringify(request);
        const webhook = await onceForForm(c, form.idempotencyKey, text, (ctx) => createWebhook(ctx, input));
        return respondPage(c, <SecretPage caller={caller} title="Your new webhook" webhook={webhook} />);
      },
      (refusal) => showForm(c, form, refusal),
    );
  })
  .get("/app/webhooks/:webhook_id", ...pageFor(GET), (c) => showWebhook(c))
  .post("/app/webhooks/:webhook_id", ...pageFor(UPDATE), async (c) => {
    const fields = await readForm(c);
    const request = readFields(fields);
    const form = { ...request, version: fields.get("version") ?? "" };
    const save = async (id: string) => {
      const patch = parseFields(WebhookPatch, request);
      requireVersion(form.version, valuesOf(toWebhook(await getWebhook(c.get("caller"), id))), valuesOf(form));
      await updateWebhook(c.get("caller"), id, patch);
    };
    return change(c, "saved", save, form);
  })
  .post("/app/webhooks/:webhook_id/pause", ...pageFor(UPDATE), (c) =>
    change(c, "paused", (id) => updateWebhook(c.get("caller"), id, { is_active: false })),
  )
  .post("/app/webhooks/:webhook_id/resume", ...pageFor(UPDATE), (c) =>
    change(c, "resumed", (id) => updateWebhook(c.get("caller"), id, { is_active: true })),
  )
  .post("/app/webhooks/:webhook_id/test", ...pageFor("POST /v1/webhooks/:webhook_id/test"), async (c) => {
    const key = (await readForm(c)).get("idempotency_key") ?? "";
    return change(c, "tested", (id) => onceForForm(c, key, id, (ctx) => testWebhook(ctx, id)));
  })
  .get("/app/webhooks/:webhook_id/rotate", ...pageFor(UPDATE), (c) =>
    confirm(c, {
      title: "Make a new secret?",
      button: "Make new secret",
      text: "The old secret signs too for 24 hours, so your server can take over the new one in between.",
    }),
  )
  .post("/app/webhooks/:webhook_id/rotate", ...pageFor(UPDATE), (c) =>
    submitForm(
      c,
      async () => {
        const caller = c.get("caller");
        const webhook = await updateWebhook(caller, c.req.param("webhook_id"), { rotate_secret: true });
        return respondPage(c, <SecretPage caller={caller} title="The new secret" webhook={webhook} />);
      },
      (refusal) => showWebhook(c, { refusal }),
    ),
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

type WebhookPageForm = WebhookForm & { version: string };

/** Changes the webhook of the path and leads back to its page. */
function change(
  c: Context<AppEnv>,
  done: string,
  run: (id: string) => Promise<unknown>,
  form?: WebhookPageForm,
): Promise<Response> {
  const id = c.req.param("webhook_id") ?? "";
  return submitForm(
    c,
    async () => {
      await run(id);
      return `/app/webhooks/${id}?done=${done}`;
    },
    (refusal) => showWebhook(c, { refusal, form }),
  );
}

async function confirm(c: Context<AppEnv>, { title, button, text }: { title: string; button: string; text: string }) {
  const { id, url } = await getWebhook(c.get("caller"), c.req.param("webhook_id") ?? "");
  return respondPage(
    c,
    <ConfirmPage title={title} caller={c.get("caller")} button={button} back={`/app/webhooks/${id}`} at="/app/webhooks">
      <span class="code">{url}</span>. {text}
    </ConfirmPage>,
  );
}

function showForm(c: Context<AppEnv>, form: WebhookForm & { idempotencyKey: string }, refusal?: Refusal) {
  const page = <NewWebhookPage caller={c.get("caller")} form={form} refusal={refusal} />;
  return respondPage(c, page, { status: refusal?.status ?? 200 });
}

async function showWebhook(
  c: Context<AppEnv>,
  { refusal, form }: { refusal?: Refusal; form?: WebhookPageForm | undefined } = {},
) {
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
      caller={caller}
      webhook={webhook}
      deliveries={{
        rows: shown.map(toDeliveryItem),
        total,
        status: status ?? "",
        next: next ? `/app/webhooks/${webhook.id}?${next}` : null,
      }}
      form={form ?? { ...webhook, version: versionOf(valuesOf(webhook)) }}
      notice={refusal ? undefined : notices[c.req.query("done") ?? ""]}
      refusal={refusal}
    />
  );
  return respondPage(c, page, { status: refusal?.status ?? 200 });
}
