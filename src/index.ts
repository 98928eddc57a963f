export { DomainTransferObject } from "../durable-objects/domain-transfer.ts";
export { MailboxObject } from "../durable-objects/mailbox.ts";
export { RateLimiterObject } from "../durable-objects/rate-limiter.ts";

import { app } from "./app.ts";
import { runSchedule } from "./cron.ts";
import { receiveEmail } from "./inbound/index.ts";
import type { WorkMessage } from "./outbox/index.ts";
import { consume, consumeDeadLetters, consumeHits } from "./queue.ts";

/** Passes a batch to the consumer of its queue. Every other queue is a dead-letter queue. */
function consumeBatch(batch: MessageBatch, env: Env): Promise<void> {
  if (batch.queue === "work") return consume(batch as MessageBatch<WorkMessage>, env);
  return batch.queue === "hits" ? consumeHits(batch, env) : consumeDeadLetters(batch, env);
}

const worker: ExportedHandler<Env> = {
  fetch: app.fetch,
  queue: (batch, env) => consumeBatch(batch, env),
  email: (message, env) => receiveEmail(message, env),
  scheduled: (controller, env) => runSchedule(controller, env),
};

export default worker;
