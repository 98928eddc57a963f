import { type Context, Hono, type MiddlewareHandler } from "hono";
import type { CallerCtx } from "../access/caller.ts";
import type { Client } from "../access/sessions/start.ts";
import type { Ctx } from "../platform/context.ts";
import type { SendSystemEmail } from "../platform/service-mail/system-email.ts";
import type { AttachmentSink, BodyStream, EarlyBody } from "./body-stream.ts";
import type { RouteIndex } from "./route-index.ts";
import type { Refusal } from "./ui/index.ts";

/** The Hono environment of a request. `caller` is set on every route that takes the credential of a user. */
export interface AppEnv {
  Bindings: Env;
  Variables: {
    ctx: Ctx;
    /** The host of a customer that the request is for; null: it is for the service itself. */
    customHost: string | null;
    /** The routes of the app with their scopes. */
    routes: RouteIndex;
    caller: CallerCtx;
    /** Finds the caller again. Set by `setCaller`. */
    confirmCaller?: () => Promise<void>;
    sendSystemEmail: SendSystemEmail;
    /** The subject of the token that a command of the operator signed. Set on the routes of those commands. */
    operator: string;
    attachments?: AttachmentSink;
    /** The file of a multipart body. Set by `fileBody`. */
    file?: Uint8Array;
    /** Name and media type of that file, as the client gives them. */
    fileInfo?: { filename: string | null; mediaType: string | null };
    /** Id of the workspace and path of the page that the forms of the response stand on. Set by `formsOfWorkspace`. */
    formPage?: string;
    /** The fields of the form that was submitted. Set by `readForm`. */
    form?: URLSearchParams;
    /** Why the form was refused. Set by `submitForm` and `attempt`. */
    refusal?: Refusal | undefined;
    /** Texts of notices by the parameter `done` of the URL. Set by `pagesOf`. */
    notices?: Readonly<Record<string, string>>;
    /** The body, when its start was read already. */
    bodyStream?: BodyStream;
    /** The start of the body, when it was read before the credential was known. */
    earlyBody?: EarlyBody;
    /** The values that each route of its area is given (apiRoutes). */
    given?: object;
    /** Returns a text that is equal for equal bodies only. Set by the middleware that reads the body. */
    bodyFingerprint?: () => Promise<string>;
  };
}

/** The request that a handler serves, with what the middlewares before it have set. */
export type AppContext = Context<AppEnv>;
export type Middleware = MiddlewareHandler<AppEnv>;

/** Returns an app without routes, whose handlers have this environment. */
export const newRoutes = () => new Hono<AppEnv>();

/** Returns where a request comes from. Cloudflare sets CF-Connecting-IP and drops one that the client sent. */
export function clientOf(c: AppContext): Client {
  return { ip: c.req.header("CF-Connecting-IP") ?? null, userAgent: c.req.header("User-Agent") ?? null };
}
