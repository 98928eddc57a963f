import { newRoutes } from "../http/env.ts";
import { analyticsRoutes } from "./analytics/routes.ts";
import { sourceRoutes } from "./delivery/prepare/routes.ts";
import { egressOutcomeRoutes } from "./egress-outcomes/routes.ts";
import { batchRoutes } from "./emails/batch/routes.ts";
import { retryRoutes } from "./emails/retry/routes.ts";
import { emailRoutes } from "./emails/routes.ts";
import { scheduledRoutes } from "./emails/scheduled/routes.ts";
import { searchRoutes } from "./emails/search/index.ts";
import { rateRoutes } from "./rates/routes.ts";
import { smtpCredentialRoutes } from "./smtp-credentials/routes.ts";
import { submissionRoutes } from "./submissions/routes.ts";
import { suppressionRoutes } from "./suppressions/routes.ts";
import { templateRoutes } from "./templates/routes.ts";
import { topicRoutes } from "./topics/routes.ts";
import { trackingRoutes } from "./tracking/index.ts";
import { unsubscribeRoutes } from "./unsubscribes/routes.tsx";

/** The routes of the area. */
export const sendingRoutes = newRoutes()
  .route("/", smtpCredentialRoutes.app)
  .route("/", submissionRoutes)
  .route("/", egressOutcomeRoutes)
  .route("/", suppressionRoutes.app)
  // These come before emailRoutes, whose /v1/emails/:email_id would match their paths.
  .route("/", batchRoutes.app)
  .route("/", scheduledRoutes.app)
  .route("/", retryRoutes.app)
  .route("/", searchRoutes.app)
  .route("/", emailRoutes.app)
  .route("/", sourceRoutes.app)
  .route("/", templateRoutes.app)
  .route("/", topicRoutes.app)
  .route("/", analyticsRoutes.app)
  .route("/", rateRoutes.app)
  .route("/", trackingRoutes)
  .route("/", unsubscribeRoutes);
