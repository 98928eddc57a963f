import { newRoutes } from "../http/env.ts";
import { apiKeyRoutes } from "./api-keys/routes.ts";
import { invitationRoutes } from "./invitations/routes.ts";
import { meRoutes } from "./members/me/routes.ts";
import { memberRoutes } from "./members/routes.ts";
import { consentRoutes } from "./oauth/consent/routes.tsx";
import { oauthRoutes } from "./oauth/routes.ts";
import { pictureRoutes } from "./pictures/routes.ts";
import { bootstrapRoutes } from "./sign-ins/bootstrap/routes.ts";
import { operatorSessionRoutes } from "./sign-ins/operator-sessions/routes.ts";
import { providerRoutes } from "./sign-ins/providers/routes.ts";
import { signInRoutes } from "./sign-ins/routes.ts";
import { secondFactorRoutes } from "./sign-ins/second-factor/routes.ts";
import { sessionRoutes } from "./sign-ins/sessions/routes.ts";
import { webmailRoutes } from "./sign-ins/webmail/routes.ts";
import { auditRoutes } from "./workspaces/audit-log/routes.ts";
import { workspaceRoutes } from "./workspaces/routes.ts";

/** The routes of the area. */
export const identityRoutes = newRoutes()
  .route("/", sessionRoutes.app)
  .route("/", signInRoutes)
  .route("/", secondFactorRoutes.app)
  .route("/", bootstrapRoutes)
  .route("/", operatorSessionRoutes)
  .route("/", providerRoutes)
  .route("/", webmailRoutes.app)
  .route("/", oauthRoutes)
  .route("/", consentRoutes)
  .route("/", meRoutes.app)
  .route("/", workspaceRoutes.app)
  .route("/", pictureRoutes)
  .route("/", memberRoutes.app)
  .route("/", invitationRoutes)
  .route("/", apiKeyRoutes.app)
  .route("/", auditRoutes.app);
