import { app } from "./app.ts";
import type { WorkMessage } from "./context.ts";
import { runSchedule } from "./cron.ts";
import { receive } from "./email.ts";
import { bury, consume, consumeHits } from "./queue.ts";

/** Queue to consumer; all others are queues of dead letters. */
function consumeBatch(batch: MessageBatch, env: Env): Promise<void> {
  if (batch.queue === "work") return consume(batch as MessageBatch<WorkMessage>, env);
  return batch.queue === "hits" ? consumeHits(batch, env) : bury(batch, env);
}

const worker: ExportedHandler<Env> = {
  fetch: app.fetch,
  queue: (batch, env) => consumeBatch(batch, env),
  email: (message, env) => receive(message, env),
  scheduled: (controller, env) => runSchedule(controller, env),
};

export default worker;
