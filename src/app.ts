import { Hono } from "hono";
import { adminRoutes } from "./admin/routes.ts";
import { apiKeyRoutes } from "./api-keys/routes.ts";
import { auditRoutes } from "./audit/routes.ts";
import { broadcastRoutes } from "./broadcasts/routes.ts";
import { contactRoutes } from "./contacts/routes.ts";
import { readyRoutes } from "./delivery/routes.ts";
import { domainRoutes } from "./domains/routes.ts";
import { batchRoutes } from "./emails/batch/routes.ts";
import { retryRoutes } from "./emails/retry/routes.ts";
import { emailRoutes } from "./emails/routes.ts";
import { scheduledRoutes } from "./emails/scheduled/routes.ts";
import { searchRoutes } from "./emails/search/index.ts";
import { earlySendReads } from "./emails/send/index.ts";
import { authenticate } from "./http/auth.ts";
import type { AppEnv } from "./http/env.ts";
import { onError } from "./http/errors.ts";
import { methodNotAllowed } from "./http/method-not-allowed.ts";
import { notFound } from "./http/not-found.ts";
import { openApiDocument } from "./http/openapi-document.ts";
import { requestId } from "./http/request-id.ts";
import { responseHeaders } from "./http/response-headers.ts";
import { RouteIndex } from "./http/route-index.ts";
import { mailboxRoutes } from "./mailboxes/routes.ts";
import { meRoutes } from "./me/routes.ts";
import { memberRoutes } from "./members/routes.ts";
import { sessionRoutes } from "./sign-ins/sessions/routes.ts";
import { suppressionRoutes } from "./suppressions/routes.ts";
import { templateRoutes } from "./templates/routes.ts";
import { trackingRoutes } from "./tracking/index.ts";
import { assetRoutes } from "./ui/routes.ts";
import { unsubscribeRoutes } from "./unsubscribes/routes.ts";
import { workspaceRoutes } from "./workspaces/routes.ts";

/** The Worker's HTTP app: middleware in order, then the routes of every folder. */
export const app = new Hono<AppEnv>();

let index: RouteIndex | null = null;
const routes = () => {
  index ??= new RouteIndex(app);
  return index;
};

app.onError(onError);
app.notFound(notFound(routes));
app.use(requestId);
app.use(responseHeaders);
app.use(methodNotAllowed(routes));
app.use(authenticate(routes, { "POST /v1/emails/": earlySendReads, "POST /v1/emails/batch": earlySendReads }));

app.get("/health", (c) => c.json({ status: "ok" }));
app.route("/", readyRoutes);
app.get("/openapi.json", openApiDocument(app));
app.route("/", assetRoutes);
app.route("/", sessionRoutes);
app.route("/", meRoutes);
app.route("/", workspaceRoutes);
app.route("/", memberRoutes);
app.route("/", apiKeyRoutes);
app.route("/", domainRoutes);
app.route("/", mailboxRoutes);
app.route("/", suppressionRoutes);
app.route("/", contactRoutes);
// These come before emailRoutes, whose /v1/emails/:email_id would match their paths.
app.route("/", batchRoutes);
app.route("/", scheduledRoutes);
app.route("/", retryRoutes);
app.route("/", searchRoutes);
app.route("/", emailRoutes);
app.route("/", templateRoutes);
app.route("/", broadcastRoutes);
app.route("/", auditRoutes);
app.route("/", adminRoutes);
app.route("/", trackingRoutes);
app.route("/", unsubscribeRoutes);
