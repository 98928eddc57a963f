export { DomainTransferObject } from "../durable-objects/domain-transfer.ts";
export { MailboxObject } from "../durable-objects/mailbox.ts";
export { RateLimiterObject } from "../durable-objects/rate-limiter.ts";

import { app } from "./app.ts";
import { runSchedule } from "./cron.ts";
import { receiveEmail } from "./mailboxes/inbound/index.ts";
import { consumeWebhooks } from "./notices/webhooks/index.ts";
import { createContext } from "./platform/create-context.ts";
import { saveMetrics } from "./platform/daily-metrics/save.ts";
import { loadErasedKey } from "./platform/erased-addresses/key.ts";
import type { OutboxMessage } from "./platform/outbox/wake.ts";
import { reportSettingIssues } from "./platform/settings/setting-issues.ts";
import { consume, consumeAutomations, consumeDeadLetters, consumeHits } from "./queue.ts";

/** Passes a batch to the consumer of its queue, by the names that the settings have. Every other queue is a dead-letter queue. */
function consumeBatch(batch: MessageBatch, env: Env, execution: ExecutionContext): Promise<void> {
  if (batch.queue === env.WORK_QUEUE) return consume(batch as MessageBatch<OutboxMessage>, env);
  if (batch.queue === env.WEBHOOKS_QUEUE) return consumeWebhooks(batch, env, execution);
  if (batch.queue === env.AUTOMATIONS_QUEUE) return consumeAutomations(batch, env);
  return batch.queue === env.HITS_QUEUE ? consumeHits(batch, env) : consumeDeadLetters(batch, env);
}

/** Returns the handler of an event, which first reports issues of the settings and at its end stores what was counted. */
function observed<Event, Reply>(
  handle: (event: Event, env: Env, ctx: ExecutionContext) => Reply,
): (event: Event, env: Env, ctx: ExecutionContext) => Reply {
  return (event, env, ctx) => {
    reportSettingIssues(env);
    const response = handle(event, env, ctx);
    const save = () => saveMetrics(createContext(env, crypto.randomUUID()));
    // The response does not wait, and its errors are those of the handler.
    ctx.waitUntil(Promise.resolve(response).then(save, save));
    return response;
  };
}

/** Returns the handler of an event other than a request, for which the app does the same. */
const withErasedKey =
  <Event>(handle: (event: Event, env: Env, ctx: ExecutionContext) => Promise<void>) =>
  async (event: Event, env: Env, ctx: ExecutionContext): Promise<void> => {
    await loadErasedKey(createContext(env, crypto.randomUUID()));
    await handle(event, env, ctx);
  };

const worker: ExportedHandler<Env> = {
  fetch: observed(app.fetch),
  queue: observed(withErasedKey(consumeBatch)),
  email: observed(withErasedKey(receiveEmail)),
  scheduled: observed(withErasedKey(runSchedule)),
};

export default worker;
