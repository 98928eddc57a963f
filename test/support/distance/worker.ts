/** The Worker with distant bindings, for the kill tests. No deployment runs this module. */

import worker from "../../../src/index.ts";
import type { OutboxMessage } from "../../../src/platform/outbox/wake.ts";
import { asEvent, distant } from "./isolate.ts";

export { DomainTransferObject, MailboxObject, RateLimiterObject } from "./objects.ts";

export default {
  fetch(request, env, ctx) {
    const far = distant(env);
    return asEvent(() => worker.fetch?.(request, far, ctx) ?? new Response(null, { status: 501 }));
  },
  queue(batch, env, ctx) {
    const far = distant(env);
    return asEvent(() => worker.queue?.(batch, far, ctx));
  },
  scheduled(controller, env, ctx) {
    const far = distant(env);
    return asEvent(() => worker.scheduled?.(controller, far, ctx));
  },
} satisfies ExportedHandler<Env, OutboxMessage>;
