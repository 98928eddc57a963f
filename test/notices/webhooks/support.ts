import { env } from "cloudflare:workers";
import { runWebhooks } from "../../../src/notices/webhooks/run.ts";
import type { ReceivedRequest } from "../../support/webhook-receiver-server.ts";
import { apiOn, discardingQueue, type TestWorkspace, testContext } from "../../support/workspace.ts";

/** Settings with which webhooks may have URLs on this machine, and events are delivered. Nothing is delivered by itself. */
export const LOCAL = { WEBHOOK_ALLOW_INSECURE: "on", LIVE_WEBHOOKS: "on", WEBHOOKS: discardingQueue };

const receiver = () => `http://127.0.0.1:${env.TEST_SERVERS.receiver}`;

/** Returns a URL of the receiver that responds like this, and functions that return what it received and release what it holds. */
export function aReceiver(behaviours = "200") {
  const name = crypto.randomUUID();
  return {
    name,
    url: `${receiver()}/${name}/${behaviours}`,
    requests: () => requestsTo(name),
    release: () => fetch(`${receiver()}/${name}/release`),
  };
}

export async function requestsTo(name: string): Promise<ReceivedRequest[]> {
  return (await fetch(`${receiver()}/${name}`)).json<ReceivedRequest[]>();
}

/** Returns how many connections the canary got. */
export const canaryTouches = async () => Number(await (await fetch(`${receiver()}/canary-touches`)).text());

export interface Webhook {
  id: string;
  url: string;
  events: string[];
  secret: string;
  is_active: boolean;
}

export interface Delivery {
  id: string;
  webhook_id: string | null;
  event_type: string;
  status: string;
  response_status: number | null;
  response_body: string | null;
  attempt: number;
  next_retry_at: string | null;
  created_at: string;
  payload: { event: string; email_id: string; recipient: string; timestamp: string; metadata: Record<string, unknown> };
  endpoint_url: string;
  error: string | null;
}

/** Returns functions that call the API of webhooks, with local settings. */
export function webhooksOf(workspace: Pick<TestWorkspace, "apiKey">, bindings: Record<string, unknown> = {}) {
  const api = apiOn({ ...LOCAL, ...bindings }, workspace.apiKey);
  return {
    ...api,
    async create(url: string, events: string[] = ["email.delivered"]): Promise<Webhook> {
      const response = await api.post("/v1/webhooks/", { url, events });
      if (response.status !== 201) throw new Error(`${response.status} ${await response.text()}`);
      return response.json<Webhook>();
    },
    async deliveries(
      id: string,
      query = "",
    ): Promise<{ items: Delivery[]; total: number; page: number; limit: number }> {
      return (await api.get(`/v1/webhooks/${id}/deliveries${query}`)).json();
    },
    async delivery(id: string): Promise<Delivery> {
      return (await api.get(`/v1/webhook-deliveries/${id}`)).json();
    },
  };
}

/** Runs the due deliveries of the mail database of the test file, with this clock. */
export async function runAt(now: number | (() => number), settings: Record<string, unknown> = {}): Promise<void> {
  await runWebhooks(testContext({ ...LOCAL, ...settings }, typeof now === "number" ? () => now : now));
}

/** Forgets what is due, so that a run sends no delivery of an earlier test. */
export const forgetDue = () => testContext().mail.prepare("UPDATE webhook_endpoints SET due_at = NULL").run();

/** Returns the endpoint of a webhook in the mail database. */
export async function endpointOf(id: string) {
  return testContext()
    .mail.prepare("SELECT * FROM webhook_endpoints WHERE id = ?1")
    .bind(id)
    .first<Record<string, unknown>>();
}
