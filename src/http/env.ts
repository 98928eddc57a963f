import type { CallerCtx, Ctx } from "../context.ts";
import type { AttachmentSink } from "./streamed-body.ts";

/** What rides along a request. `caller` is there on every route that is not public. */
export interface AppEnv {
  Bindings: Env;
  Variables: { ctx: Ctx; caller: CallerCtx; attachments?: AttachmentSink };
}
