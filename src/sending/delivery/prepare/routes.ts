import { respondMessage } from "../../../http/download.ts";
import { newRoutes } from "../../../http/env.ts";
import { file, operationsOf, responses } from "../../../http/openapi.ts";
import { composeSource } from "./source.ts";

const operation = operationsOf("Emails");

export const sourceRoutes = newRoutes().get(
  "/v1/emails/:email_id/source",
  operation("emails:view", "getEmailSource", {
    summary: "Get an email as it is composed",
    description:
      "With a DKIM signature when it was sent. 404 also when its content is no longer stored. Mail that a person sent from a mailbox takes " +
      "`inbox:read` and the right to open that mailbox.",
    responses: { ...responses(200, "", null, [403, 404]), ...file("The message (RFC 5322)", "message/rfc822") },
  }),
  async (c) => {
    const id = c.req.param("email_id");
    return respondMessage(c, `email-${id.toLowerCase()}.eml`, await composeSource(c.get("caller"), id));
  },
);
