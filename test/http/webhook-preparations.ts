import { publish } from "../support/dns-control.ts";

type Ids = Record<string, string>;

/** Returns functions that create what the operations of webhooks name, by operation id, and return its ids. */
export function webhookPreparations(
  create: (path: string) => Promise<string>,
  api: () => { get: (path: string) => Promise<Response>; post: (path: string, body: unknown) => Promise<Response> },
): Record<string, () => Promise<Ids>> {
  const publishHost = async () => {
    await publish([{ name: "hooks.example.com", type: "A", value: "93.184.215.14" }]);
    return {};
  };
  const webhook = async () => {
    await publishHost();
    return { webhook_id: await create("/v1/webhooks/") };
  };
  const delivery = async () => {
    const { webhook_id } = await webhook();
    await api().post(`/v1/webhooks/${webhook_id}/test`, undefined);
    const page = await api().get(`/v1/webhooks/${webhook_id}/deliveries`);
    const { items } = await page.json<{ items: { id: string }[] }>();
    return { webhook_id, delivery_id: items[0]?.id ?? "" };
  };
  return {
    createWebhook: publishHost,
    listWebhooks: webhook,
    getWebhook: webhook,
    updateWebhook: webhook,
    deleteWebhook: webhook,
    sendWebhookTest: webhook,
    listWebhookDeliveries: delivery,
    getWebhookDelivery: delivery,
    getWebhookDeliveryById: delivery,
    retryWebhookDelivery: delivery,
  };
}
