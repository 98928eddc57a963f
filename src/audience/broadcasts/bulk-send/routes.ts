import { newRoutes } from "../../../http/env.ts";
import { idempotent } from "../../../http/idempotency.ts";
import { operationsOf, responses } from "../../../http/openapi.ts";
import { bodyWithLongTexts } from "../../../http/validate.ts";
import { BulkSendIn, BulkSendOut } from "./schema.ts";
import { sendToList } from "./send.ts";

const operation = operationsOf("Contacts");

export const bulkSendRoutes = newRoutes().post(
  "/v1/contacts/:list_id/send",
  operation("broadcasts:send", "sendToContactList", {
    summary: "Send an email to every contact of a list",
    description:
      "Subject, html and text take `{{email}}`, `{{name}}` and `{{<metadata key>}}`. Contacts on the suppression list are skipped. Each email has unsubscribe headers and a visible link, `{{unsubscribe_url}}`, which is appended when the content has none. At most 1,000,000 bytes of content as JSON.",
    responses: responses(200, "What was queued", BulkSendOut, [400, 403, 404, 409, 413, 415]),
  }),
  ...bodyWithLongTexts(BulkSendIn, ["html", "text"]),
  idempotent(200),
  async (c) => c.json(await sendToList(c.get("caller"), c.req.param("list_id"), c.req.valid("json"))),
);
