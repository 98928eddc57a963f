import { newRoutes } from "../http/env.ts";
import { notificationRoutes } from "./notifications/routes.ts";
import { webhookRoutes } from "./webhooks/routes.ts";

/** The routes of the area. */
export const noticesRoutes = newRoutes().route("/", webhookRoutes.app).route("/", notificationRoutes.app);
