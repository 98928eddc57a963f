import { Hono } from "hono";
import type { AppEnv } from "../http/env.ts";
import { notificationRoutes } from "./notifications/routes.ts";
import { webhookRoutes } from "./webhooks/routes.ts";

/** The routes of the area. */
export const noticesRoutes = new Hono<AppEnv>().route("/", webhookRoutes).route("/", notificationRoutes);
