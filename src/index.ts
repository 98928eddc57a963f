export { DomainTransferObject } from "../durable-objects/domain-transfer.ts";
export { MailboxObject } from "../durable-objects/mailbox.ts";
export { RateLimiterObject } from "../durable-objects/rate-limiter.ts";

import { app } from "./app.ts";
import { runSchedule } from "./cron.ts";
import { receiveEmail } from "./inbound/index.ts";
import type { WorkMessage } from "./outbox/index.ts";
import { consume, consumeDeadLetters, consumeHits } from "./queue.ts";
import { reportSettingFaults } from "./setting-faults.ts";
import { consumeWebhooks } from "./webhooks/index.ts";

/** Passes a batch to the consumer of its queue, by the names that the settings have. Every other queue is a dead-letter queue. */
function consumeBatch(batch: MessageBatch, env: Env): Promise<void> {
  if (batch.queue === env.WORK_QUEUE) return consume(batch as MessageBatch<WorkMessage>, env);
  if (batch.queue === env.WEBHOOKS_QUEUE) return consumeWebhooks(batch, env);
  return batch.queue === env.HITS_QUEUE ? consumeHits(batch, env) : consumeDeadLetters(batch, env);
}

/** Returns the handler of an event, which first reports faults of the settings. */
function withSettings<Event, Answer>(
  handle: (event: Event, env: Env, ctx: ExecutionContext) => Answer,
): (event: Event, env: Env, ctx: ExecutionContext) => Answer {
  return (event, env, ctx) => {
    reportSettingFaults(env);
    return handle(event, env, ctx);
  };
}

const worker: ExportedHandler<Env> = {
  fetch: withSettings(app.fetch),
  queue: withSettings(consumeBatch),
  email: withSettings(receiveEmail),
  scheduled: withSettings(runSchedule),
};

export default worker;
