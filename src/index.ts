import { app } from "./app.ts";
import type { WorkMessage } from "./context.ts";
import { runSchedule } from "./cron.ts";
import { bury, consume } from "./queue.ts";

const worker: ExportedHandler<Env, WorkMessage> = {
  fetch: app.fetch,
  queue: (batch, env) => (batch.queue === "work" ? consume(batch, env) : bury(batch, env)),
  scheduled: (controller, env) => runSchedule(controller, env),
};

export default worker;
