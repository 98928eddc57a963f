import { expect, it } from "vitest";
import { addDeliveryStatements, newWebhookSecret, sealSecret } from "../../../src/notices/webhooks/index.ts";
import { signedHeaders } from "../../../src/notices/webhooks/sign.ts";
import { aWorkspace, testContext } from "../../support/workspace.ts";
import { aReceiver, forgetDue, runAt, webhooksOf } from "./support.ts";

it("a delivery of a forwarding rule is posted to its URL, signed with its secret, and belongs to no webhook", async () => {
  await forgetDue();
  const workspace = await aWorkspace();
  const ctx = testContext();
  const [rule, id, email] = [ctx.newId(), ctx.newId(), ctx.newId()];
  const secret = newWebhookSecret();
  const receiver = aReceiver();
  await ctx.db
    .prepare(
      `INSERT INTO forwarding_rules (id, workspace, domain_id, match, action, target, secret, is_active, position, created_at, updated_at)
       VALUES (?1, ?2, ?3, '{}', 'webhook', ?4, ?5, 1, 0, 1, 1)`,
    )
    .bind(rule, workspace.workspaceNumber, workspace.domainId, receiver.url, await sealSecret(ctx, rule, secret))
    .run();
  const event = "email.inbound.forwarded";
  const payload = JSON.stringify({ event, email_id: email, recipient: workspace.mailbox, timestamp: "", metadata: {} });
  const delivery = {
    id,
    workspace: workspace.workspaceNumber,
    endpoint: rule,
    webhookId: null,
    email,
    eventType: event,
  };
  // The statements may run twice.
  for (let times = 0; times < 2; times++)
    await ctx.mail.batch(addDeliveryStatements(ctx, { ...delivery, payload, isForced: false }));
  await runAt(Date.now() + 1000);
  const [request, ...others] = await receiver.requests();
  expect(others).toEqual([]);
  const now = Number(request?.headers["x-service-timestamp"]) * 1000;
  const expected = await signedHeaders({ deliveryId: id, event, body: payload, secret, previous: null, now });
  expect(request?.headers).toMatchObject(
    Object.fromEntries(Object.entries(expected).map(([name, value]) => [name.toLowerCase(), value])),
  );
  expect(await webhooksOf(workspace).delivery(id)).toMatchObject({
    webhook_id: null,
    event_type: event,
    status: "delivered",
    endpoint_url: receiver.url,
  });
});
