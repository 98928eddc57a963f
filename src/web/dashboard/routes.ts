import { newRoutes } from "../../http/env.ts";
import { onPageError } from "../../http/page-errors.tsx";
import { adminPages } from "./admin/routes.tsx";
import { analyticsPages } from "./analytics/routes.tsx";
import { apiKeyPages } from "./api-keys/routes.tsx";
import { auditPages } from "./audit/routes.tsx";
import { automationPages } from "./automations/routes.tsx";
import { broadcastPages } from "./broadcasts/routes.tsx";
import { contactPages } from "./contacts/routes.tsx";
import { domainPages } from "./domains/routes.tsx";
import { emailPages } from "./emails/routes.tsx";
import { formManagementPages } from "./forms/routes.tsx";
import { forwardingPages } from "./forwarding/routes.tsx";
import { grantPages } from "./grants/routes.tsx";
import { homePages } from "./home/routes.tsx";
import { inboundPages } from "./inbound/routes.tsx";
import { mailboxPages } from "./mailboxes/routes.tsx";
import { notificationPages } from "./notifications/routes.tsx";
import { picturePages } from "./pictures/routes.tsx";
import { everythingPages } from "./search/routes.tsx";
import { securityPages } from "./security/routes.tsx";
import { segmentPages } from "./segments/routes.tsx";
import { settingsPages } from "./settings/routes.tsx";
import { smtpPages } from "./smtp/routes.tsx";
import { suppressionPages } from "./suppressions/routes.tsx";
import { teamPages } from "./team/routes.tsx";
import { templatePages } from "./templates/routes.tsx";
import { topicPages } from "./topics/routes.tsx";
import { transferPages } from "./transfers/routes.tsx";
import { webhookPages } from "./webhooks/routes.tsx";

/** The pages of the dashboard. Their forms call the operations of the API, with its scopes and limits. */
export const dashboardRoutes = newRoutes()
  .route("/", homePages)
  .route("/", everythingPages)
  .route("/", emailPages)
  .route("/", broadcastPages)
  .route("/", automationPages)
  .route("/", templatePages)
  .route("/", picturePages)
  .route("/", contactPages)
  .route("/", formManagementPages)
  .route("/", segmentPages)
  .route("/", topicPages)
  .route("/", suppressionPages)
  .route("/", analyticsPages)
  .route("/", domainPages)
  .route("/", transferPages)
  .route("/", mailboxPages)
  .route("/", forwardingPages)
  .route("/", inboundPages)
  .route("/", smtpPages)
  .route("/", apiKeyPages)
  .route("/", webhookPages)
  .route("/", teamPages)
  .route("/", auditPages)
  .route("/", settingsPages)
  .route("/", notificationPages)
  .route("/", grantPages)
  .route("/", securityPages)
  .route("/", adminPages)
  .onError(onPageError);
