import { newRoutes } from "../http/env.ts";
import { aliasRoutes } from "./aliases/routes.ts";
import { appPasswordRoutes } from "./app-passwords/routes.ts";
import { forwardingRuleRoutes } from "./forwarding-rules/routes.ts";
import { imapRoutes } from "./imap/routes.ts";
import { inboundRoutes } from "./inbound/routes.ts";
import { inboundLogRoutes } from "./inbound-log/routes.ts";
import { archiveRoutes } from "./inbox/archives/routes.ts";
import { autoReplyRoutes } from "./inbox/auto-reply/routes.ts";
import { eventRoutes } from "./inbox/events/routes.ts";
import { filterRoutes } from "./inbox/filters/routes.ts";
import { folderRoutes } from "./inbox/folders/routes.ts";
import { forwardedFileRoutes } from "./inbox/forwarded-files/routes.ts";
import { labelRoutes } from "./inbox/labels/routes.ts";
import { messageRoutes } from "./inbox/messages/routes.ts";
import { savedReplyRoutes } from "./inbox/saved-replies/routes.ts";
import { sendingRoutes } from "./inbox/sending/routes.ts";
import { threadRoutes } from "./inbox/threads/routes.ts";
import { mailProgramRoutes } from "./mail-programs/routes.ts";
import { mailboxRoutes } from "./mailboxes/routes.ts";

/** The routes of the area. */
export const mailboxesRoutes = newRoutes()
  .route("/", mailboxRoutes.app)
  .route("/", aliasRoutes.app)
  .route("/", appPasswordRoutes.app)
  .route("/", mailProgramRoutes)
  .route("/", forwardingRuleRoutes)
  .route("/", forwardedFileRoutes)
  .route("/", autoReplyRoutes.app)
  .route("/", filterRoutes.app)
  .route("/", folderRoutes.app)
  .route("/", eventRoutes.app)
  .route("/", archiveRoutes.app)
  .route("/", labelRoutes.app)
  .route("/", savedReplyRoutes.app)
  .route("/", messageRoutes.app)
  .route("/", threadRoutes.app)
  .route("/", inboundRoutes)
  .route("/", imapRoutes)
  .route("/", sendingRoutes.app)
  .route("/", inboundLogRoutes.app);
