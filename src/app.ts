import { Hono } from "hono";
import { accountRoutes } from "./accounts/routes.ts";
import { emailRoutes } from "./emails/routes.ts";
import { authenticate } from "./http/auth.ts";
import type { AppEnv } from "./http/env.ts";
import { onError } from "./http/errors.ts";
import { notFound } from "./http/not-found.ts";
import { openApiDocument } from "./http/openapi.ts";
import { requestId } from "./http/request-id.ts";
import { RouteIndex } from "./http/route-index.ts";

/** The API's contents page: the order of the middleware, then every room. */
export const app = new Hono<AppEnv>();

let index: RouteIndex | null = null;
const routes = () => {
  index ??= new RouteIndex(app);
  return index;
};

app.onError(onError);
app.notFound(notFound(routes));
app.use(requestId);
app.use(authenticate(routes));

app.get("/health", (c) => c.json({ status: "ok" }));
app.get("/openapi.json", openApiDocument(app));
app.route("/", accountRoutes);
app.route("/", emailRoutes);
