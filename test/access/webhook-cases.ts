import { onShard } from "../../src/platform/jobs/shards.ts";
import { publish } from "../support/dns-control.ts";
import { type TestWorkspace, testContext } from "../support/workspace.ts";
import type { RouteCase } from "./route-case.ts";

const HOST = "hooks.access.test";
const URL = `https://${HOST}/email`;
const body = () => ({ url: URL, events: ["email.delivered"] });

/** Makes the name of the URL known to the resolver of the tests, with a public address. */
const publishHost = () => publish([{ name: HOST, type: "A", value: "93.184.215.14" }]);

const createWebhook = async (workspace: TestWorkspace) => {
  await publishHost();
  const response = await workspace.post("/v1/webhooks/", body());
  const { id } = await response.json<{ id: string }>();
  // A workspace has at most 50 webhooks.
  if (response.status !== 409) return { webhook_id: id };
  const all = await (await workspace.get("/v1/webhooks/?include=paused")).json<{ id: string }[]>();
  await Promise.all(all.map((one) => workspace.call("DELETE", `/v1/webhooks/${one.id}`)));
  return createWebhook(workspace);
};

/** Creates a webhook with a finished delivery, which no run changes afterwards. */
const createDelivery = async (workspace: TestWorkspace) => {
  const { webhook_id } = await createWebhook(workspace);
  const ctx = onShard(testContext(), workspace.mailShard);
  const delivery_id = ctx.newId();
  await ctx.mail
    .prepare(
      `INSERT INTO webhook_deliveries (id, workspace, endpoint, webhook_id, email, event_type, payload, status, created_at)
       VALUES (?1, ?2, ?3, ?3, ?1, 'email.delivered', '{}', 'delivered', ?4)`,
    )
    .bind(delivery_id, workspace.workspaceNumber, webhook_id, ctx.now())
    .run();
  return { webhook_id, delivery_id };
};

/** The routes of webhooks. */
export const webhookCases: Record<string, RouteCase> = {
  "GET /v1/webhooks/": { success: 200 },
  "POST /v1/webhooks/": {
    success: 201,
    create: async (workspace) => {
      await createWebhook(workspace);
      return {};
    },
    body,
  },
  "GET /v1/webhooks/:webhook_id": { success: 200, create: createWebhook },
  "PATCH /v1/webhooks/:webhook_id": { success: 200, create: createWebhook, body: () => ({ is_active: false }) },
  "DELETE /v1/webhooks/:webhook_id": { success: 204, create: createWebhook },
  "POST /v1/webhooks/:webhook_id/test": { success: 200, create: createWebhook },
  "GET /v1/webhooks/:webhook_id/deliveries": { success: 200, create: createWebhook },
  "GET /v1/webhooks/:webhook_id/deliveries/:delivery_id": { success: 200, create: createDelivery },
  "POST /v1/webhooks/:webhook_id/deliveries/:delivery_id/replay": { success: 201, create: createDelivery },
  "GET /v1/webhook-deliveries/:delivery_id": { success: 200, create: createDelivery },
};
