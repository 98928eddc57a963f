import type { Context } from "hono";
import { Hono } from "hono";
import type { AppEnv } from "../../../http/env.ts";
import { readForm } from "../../../http/fields.ts";
import { onceForForm } from "../../../http/idempotency.ts";
import { respondPage } from "../../../http/page.tsx";
import { type Refusal, submitForm } from "../../../http/page-form.ts";
import { pageFor } from "../../../http/page-right.ts";
import { getDelivery, getWebhook, replayDelivery, toDelivery } from "../../../notices/webhooks/index.ts";
import { DeliveryPage } from "./delivery.tsx";

export const deliveryPages = new Hono<AppEnv>()
  .get(
    "/app/webhooks/:webhook_id/deliveries/:delivery_id",
    ...pageFor("GET /v1/webhooks/:webhook_id/deliveries/:delivery_id"),
    (c) => showDelivery(c, c.req.param()),
  )
  .post(
    "/app/webhooks/:webhook_id/deliveries/:delivery_id/replay",
    ...pageFor("POST /v1/webhooks/:webhook_id/deliveries/:delivery_id/replay"),
    async (c) => {
      const { webhook_id, delivery_id } = c.req.param();
      const key = (await readForm(c)).get("idempotency_key") ?? "";
      return submitForm(
        c,
        async () => {
          const { id } = await onceForForm(c, key, delivery_id, (ctx) => replayDelivery(ctx, webhook_id, delivery_id));
          return `/app/webhooks/${webhook_id}/deliveries/${id}?done=replayed`;
        },
        (refusal) => showDelivery(c, { webhook_id, delivery_id }, refusal),
      );
    },
  );

async function showDelivery(
  c: Context<AppEnv>,
  { webhook_id, delivery_id }: { webhook_id: string; delivery_id: string },
  refusal?: Refusal,
) {
  const caller = c.get("caller");
  const webhook = await getWebhook(caller, webhook_id);
  const delivery = toDelivery(await getDelivery(caller, delivery_id, webhook.id), webhook.url);
  const isReplayed = !refusal && c.req.query("done") === "replayed";
  const page = (
    <DeliveryPage
      caller={caller}
      webhookId={webhook.id}
      delivery={delivery}
      notice={isReplayed ? "This is the new delivery, with the same payload." : undefined}
      refusal={refusal}
    />
  );
  return respondPage(c, page, { status: refusal?.status ?? 200 });
}
