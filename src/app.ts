import { Hono } from "hono";
import { earlyEventReads } from "./audience/events/index.ts";
import { audienceRoutes } from "./audience/routes.ts";
import { newSandbox } from "./domains/domains/index.ts";
import { domainRoutes } from "./domains/domains/routes.ts";
import { domainHealthRoutes } from "./domains/health/routes.ts";
import { hostRoutes } from "./domains/hosts/routes.ts";
import { domainReportRoutes } from "./domains/reports/routes.ts";
import { authenticate } from "./http/auth.ts";
import { openToOrigins } from "./http/cors.ts";
import { customHosts } from "./http/custom-host.ts";
import type { AppEnv } from "./http/env.ts";
import { methodNotAllowed } from "./http/method-not-allowed.ts";
import { needs } from "./http/needs.ts";
import { notFound, onAppError } from "./http/not-found.ts";
import { openApiDocument } from "./http/openapi-document.ts";
import { requestId } from "./http/request-id.ts";
import { responseHeaders } from "./http/response-headers.ts";
import { RouteIndex } from "./http/route-index.ts";
import { routedPath } from "./http/routed-path.ts";
import { identityRoutes } from "./identity/routes.ts";
import { VERSION } from "./lib/version.ts";
import { mailboxesRoutes } from "./mailboxes/routes.ts";
import { noticesRoutes } from "./notices/routes.ts";
import { operationsRoutes } from "./operations/routes.ts";
import type { Sandbox } from "./platform/context.ts";
import { loadErasedKey } from "./platform/erased-addresses/key.ts";
import { findSetupIssue } from "./platform/settings/setting-issues.ts";
import { earlySendReads } from "./sending/emails/send/index.ts";
import { sendingRoutes } from "./sending/routes.ts";
import { sendSystemEmail } from "./sending/system-emails/index.ts";
import { transfersRoutes } from "./transfers/routes.ts";
import { RESEND_PATH, resendErrors } from "./web/resend/routes.ts";
import { webRoutes } from "./web/routes.ts";

/** The Worker's HTTP app: middleware in order, then the routes of every area. */
export const app = new Hono<AppEnv>({ getPath: routedPath });

const routes = () => index;

app.onError(onAppError);
app.notFound(notFound(routes));
app.use(requestId);
app.use(async (c, next) => {
  c.set("sendSystemEmail", sendSystemEmail);
  const made: (Sandbox | null)[] = [];
  c.get("ctx").newSandbox = async (...input) => {
    const sandbox = await newSandbox(...input);
    made.push(sandbox);
    return sandbox;
  };
  await next();
  for (const sandbox of made) if (sandbox) c.executionCtx.waitUntil(sandbox.publish());
});
app.use(responseHeaders);
app.use(customHosts);
app.use(openToOrigins);
app.use(`${RESEND_PATH}/*`, resendErrors);
app.use(methodNotAllowed(routes));
app.use(async (c, next) => {
  // Opens and clicks get their response without a database.
  const error = /^\/(t\/|health$)/.test(c.req.path) ? undefined : await loadErasedKey(c.get("ctx"));
  // Pages that read neither settings nor tables would hide that nothing behind them works.
  if (error && !/^\/(ready|metrics|openapi\.json)$/.test(c.req.path) && findSetupIssue(c.env, error) !== null)
    throw error;
  await next();
});
app.use(
  authenticate(routes, {
    "POST /v1/emails/": earlySendReads,
    "POST /v1/emails/batch": earlySendReads,
    "POST /v1/events": earlyEventReads,
    "POST /v1/events/batch": earlyEventReads,
  }),
);

app.get("/health", needs("public"), (c) => c.json({ status: "ok", version: VERSION }));
app.get("/openapi.json", needs("public"), openApiDocument(app));
app.route("/", noticesRoutes);
app.route("/", identityRoutes);
app.route("/", domainRoutes.app);
app.route("/", domainHealthRoutes.app);
app.route("/", domainReportRoutes.app);
app.route("/", hostRoutes);
app.route("/", sendingRoutes);
app.route("/", audienceRoutes);
app.route("/", mailboxesRoutes);
app.route("/", transfersRoutes);
app.route("/", operationsRoutes);
app.route("/", webRoutes(app));

// After the last route: a route that declares no scope keeps the Worker from starting.
const index = new RouteIndex(app);
