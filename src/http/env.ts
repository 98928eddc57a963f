import type { CallerCtx, Ctx } from "../context.ts";
import type { AttachmentSink } from "./json-body.ts";

/** The Hono environment of a request. `caller` is set on every route that is not public. */
export interface AppEnv {
  Bindings: Env;
  Variables: {
    ctx: Ctx;
    caller: CallerCtx;
    attachments?: AttachmentSink;
    /** Returns a text that is equal for equal bodies only. Set by the middleware that reads the body. */
    bodyFingerprint?: () => Promise<string>;
  };
}
