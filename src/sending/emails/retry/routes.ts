import { newRoutes } from "../../../http/env.ts";
import { idempotent } from "../../../http/idempotency.ts";
import { noBody } from "../../../http/json-body.ts";
import { operationsOf, responses } from "../../../http/openapi.ts";
import { AcceptOut } from "../schema.ts";
import { retryEmail } from "./retry.ts";

const operation = operationsOf("Emails");

export const retryRoutes = newRoutes().post(
  "/v1/emails/:email_id/retry",
  operation("emails:send", "retryEmail", {
    summary: "Retry an email for the recipients it did not reach",
    description:
      "Creates a new email to the recipients that bounced, were rejected or failed; the original does not change. A suppression by a bounce does not stop it. Other suppressions, and three bounced retries in a row, drop the recipient.",
    responses: responses(202, "The new email", AcceptOut, [403, 404, 409]),
  }),
  noBody,
  idempotent(202),
  async (c) => c.json(await retryEmail(c.get("caller"), c.req.param("email_id")), 202),
);
