import { type AppContext, newRoutes } from "../../../http/env.ts";
import { respondPage } from "../../../http/page.tsx";
import { onceForForm, pageFor, submitForm } from "../../../http/page-routes.ts";
import { getDelivery, getWebhook, replayDelivery, toDelivery } from "../../../notices/webhooks/index.ts";
import { DeliveryPage } from "./delivery.tsx";

const PATH = "/app/webhooks/:webhook_id/deliveries/:delivery_id";
const API = "/v1/webhooks/:webhook_id/deliveries/:delivery_id";

export const deliveryPages = newRoutes()
  .get(PATH, ...pageFor(`GET ${API}`), showDelivery)
  .post(`${PATH}/replay`, ...pageFor(`POST ${API}/replay`), (c) =>
    submitForm(c, showDelivery, async () => {
      const { webhook_id, delivery_id } = c.req.param();
      const { id } = await onceForForm(c, (ctx) => replayDelivery(ctx, webhook_id, delivery_id));
      return `/app/webhooks/${webhook_id}/deliveries/${id}?done=replayed`;
    }),
  );

async function showDelivery(c: AppContext) {
  const caller = c.get("caller");
  const webhook = await getWebhook(caller, c.req.param("webhook_id") ?? "");
  const delivery = toDelivery(await getDelivery(caller, c.req.param("delivery_id") ?? "", webhook.id), webhook.url);
  const notices = { replayed: "This is the new delivery, with the same payload." };
  return respondPage(c, <DeliveryPage webhookId={webhook.id} delivery={delivery} />, { notices });
}
