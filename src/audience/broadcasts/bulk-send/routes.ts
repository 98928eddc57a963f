import { apiRoutes, outlives } from "../../../http/api-routes.ts";
import { bodyWithLongTexts } from "../../../http/validate.ts";
import { BulkSendIn, BulkSendOut } from "./schema.ts";
import { sendToList } from "./send.ts";

export const bulkSendRoutes = apiRoutes("Contacts").post(
  "/v1/contacts/:list_id/send",
  "sendToContactList",
  "broadcasts:send",
  outlives.nothing,
  {
    summary: "Send an email to every contact of a list",
    description:
      "Subject, html and text take `{{email}}`, `{{name}}` and `{{<metadata key>}}`. Contacts on the suppression list are skipped. Each email has unsubscribe headers and a visible link, `{{unsubscribe_url}}`, which is appended when the content has none. At most 1,000,000 bytes of content as JSON.",
    body: bodyWithLongTexts(BulkSendIn, ["html", "text"]),
    returns: { 200: ["What was queued", BulkSendOut] },
    errors: [400],
    run: (caller, { list_id, body }) => sendToList(caller, list_id, body),
  },
);
