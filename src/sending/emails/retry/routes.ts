import { apiRoutes, outlives } from "../../../http/api-routes.ts";
import { AcceptOut } from "../schema.ts";
import { retryEmail } from "./retry.ts";

export const retryRoutes = apiRoutes("Emails").post(
  "/v1/emails/:email_id/retry",
  "retryEmail",
  "emails:send",
  outlives.nothing,
  {
    summary: "Retry an email for the recipients it did not reach",
    description:
      "A new email to the recipients that bounced, were rejected or failed. A suppression by a bounce does not stop it; other suppressions, and three bounced retries in a row, do.",
    returns: { 202: ["The new email", AcceptOut] },
    run: (caller, { email_id }) => retryEmail(caller, email_id),
  },
);
