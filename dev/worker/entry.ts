// The Worker of the local service. A deployment never contains this file.
import "../d1-limits.ts";
import worker from "../../src/index.ts";
import { isFilling } from "../example/routes.ts";
import { LOCAL_CALLS, respondLocalCall } from "./local-calls.ts";

export * from "../../src/index.ts";

export default {
  ...worker,
  fetch: (request, env, ctx) =>
    new URL(request.url).pathname.startsWith(LOCAL_CALLS)
      ? respondLocalCall(request, env, ctx)
      : (worker.fetch?.(request, env, ctx) ?? new Response(null, { status: 501 })),
  async scheduled(controller, env, ctx) {
    if (!isFilling()) await worker.scheduled?.(controller, env, ctx);
  },
} satisfies ExportedHandler<Env>;
