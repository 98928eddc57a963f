import { respondPage } from "../../../http/page.tsx";
import { button, page, pagesOf } from "../../../http/page-actions.tsx";
import { AppLayout, Facts, LinkLine, PostButton, Status, Time } from "../../../http/ui/index.ts";
import {
  type DeliveryOut,
  getDelivery,
  getWebhook,
  isTestPayload,
  replayDelivery,
  toDelivery,
} from "../../../notices/webhooks/index.ts";
import { RECEIVED } from "../../../platform/webhook-events/rules.ts";
import { mayManage } from "./list.tsx";

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

function DeliveryPage({ webhookId, delivery }: { webhookId: string; delivery: DeliveryOut }) {
  const path = `/app/webhooks/${webhookId}`;
  return (
    <AppLayout
      title={`Delivery of ${delivery.event_type}`}
      actions={
        mayManage() ? <PostButton to={`${path}/deliveries/${delivery.id}/replay`} label="Send again" once /> : null
      }
    >
      <LinkLine to={path} label="All deliveries of this webhook" />
      <Facts
        of={{
          Status: <Status word={delivery.status} />,
          Reason: delivery.error,
          URL: delivery.endpoint_url ?? "The webhook is deleted",
          Attempts: delivery.attempt,
          "Next attempt": delivery.next_retry_at === null ? null : <Time at={delivery.next_retry_at} />,
          Created: <Time at={delivery.created_at} />,
          Email: emailOf(delivery.payload),
        }}
      />
      <div class="columns">
        <section aria-label="Request">
          <h2>Request</h2>
          <p class="soft">POST with this body</p>
          <pre>{JSON.stringify(delivery.payload, null, 2)}</pre>
        </section>
        <section aria-label="Response">
          <h2>Response</h2>
          {delivery.response_status === null ? (
            <p>The endpoint has not responded yet.</p>
          ) : (
            <>
              <p class="soft">HTTP {delivery.response_status}</p>
              {delivery.response_body ? <pre>{delivery.response_body}</pre> : <p class="soft">Its body was empty.</p>}
            </>
          )}
        </section>
      </div>
    </AppLayout>
  );
}

/** Returns a link to the email of an event; the sample of a test has none. */
function emailOf(payload: DeliveryOut["payload"]) {
  const { email_id: email, event } = payload;
  if (typeof email !== "string") return null;
  const list = event === RECEIVED ? "/app/inbound" : "/app/emails";
  return isTestPayload(payload) ? "None: this is a test" : <a href={`${list}/${email}`}>{email}</a>;
}
