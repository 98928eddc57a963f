import { newRoutes } from "../http/env.ts";
import { automationRoutes } from "./automations/routes.ts";
import { broadcastAnalyticsRoutes } from "./broadcasts/analytics/routes.ts";
import { bulkSendRoutes } from "./broadcasts/bulk-send/routes.ts";
import { broadcastRoutes } from "./broadcasts/routes.ts";
import { confirmationRoutes } from "./consent/routes.tsx";
import { contactRoutes } from "./contacts/routes.ts";
import { eventRoutes } from "./events/routes.ts";
import { formPages } from "./forms/public-routes.tsx";
import { formRoutes } from "./forms/routes.ts";
import { peopleRoutes } from "./people/routes.ts";
import { segmentRoutes } from "./segments/routes.ts";

/** The routes of the area. */
export const audienceRoutes = newRoutes()
  .route("/", automationRoutes)
  .route("/", contactRoutes.app)
  .route("/", bulkSendRoutes.app)
  .route("/", broadcastRoutes)
  .route("/", broadcastAnalyticsRoutes.app)
  .route("/", confirmationRoutes)
  .route("/", formRoutes.app)
  .route("/", formPages)
  .route("/", peopleRoutes.app)
  .route("/", eventRoutes.app)
  .route("/", segmentRoutes.app);
