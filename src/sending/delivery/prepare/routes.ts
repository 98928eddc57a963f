import { apiRoutes } from "../../../http/api-routes.ts";
import { respondMessage } from "../../../http/download.ts";
import { file } from "../../../http/openapi.ts";
import { composeSource } from "./source.ts";

export const sourceRoutes = apiRoutes("Emails").get("/v1/emails/:email_id/source", "getEmailSource", "emails:view", {
  summary: "Get an email as it is composed",
  description:
    "With a DKIM signature when it was sent. 404 also when its content is no longer stored. Mail that a person sent from a mailbox takes " +
    "`inbox:read` and the right to open that mailbox.",
  returns: file("The message (RFC 5322)", "message/rfc822"),
  run: async (caller, { email_id }, c) => {
    const id = email_id;
    return respondMessage(c, `email-${id.toLowerCase()}.eml`, await composeSource(caller, id));
  },
});
