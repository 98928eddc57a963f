import { respondPage } from "../../../http/page.tsx";
import { button, page, pagesOf } from "../../../http/page-actions.tsx";
import { getDelivery, getWebhook, replayDelivery, toDelivery } from "../../../notices/webhooks/index.ts";
import { DeliveryPage } from "./delivery.tsx";

const PATH = "/app/webhooks/:webhook_id/deliveries/:delivery_id";
const API = "/v1/webhooks/:webhook_id/deliveries/:delivery_id";

export const deliveryPages = pagesOf(
  "delivery",
  page(PATH, `GET ${API}`, async (c) => {
    const caller = c.get("caller");
    const webhook = await getWebhook(caller, c.req.param("webhook_id"));
    const delivery = toDelivery(await getDelivery(caller, c.req.param("delivery_id"), webhook.id), webhook.url);
    return respondPage(c, <DeliveryPage webhookId={webhook.id} delivery={delivery} />);
  }),
  button(`${PATH}/replay`, `POST ${API}/replay`, {
    run: replayDelivery,
    once: true,
    to: "/app/webhooks/:webhook_id/deliveries/:id",
    done: { replayed: "This is the new delivery, with the same payload." },
  }),
);
