import { type AppContext, newRoutes } from "../../../http/env.ts";
import { respondPage } from "../../../http/page.tsx";
import { onceForForm, pageFor, submitForm } from "../../../http/page-routes.ts";
import { parseItems } from "../../../http/validate.ts";
import { unprocessable } from "../../../lib/errors.ts";
import { emailLimits, SendIn, sendBatch } from "../../../sending/emails/index.ts";
import { BatchPage, BatchResultPage } from "./batch.tsx";

/** Greatest body of the form, in bytes. */
const MAX_FORM_BYTES = 1_000_000;

export const batchPages = newRoutes()
  .get("/app/emails/batch", ...pageFor("POST /v1/emails/batch"), showForm)
  .post("/app/emails/batch", ...pageFor("POST /v1/emails/batch"), (c) =>
    submitForm(c, { show: showForm, maxBytes: MAX_FORM_BYTES }, async (fields) => {
      const text = fields.get("items") ?? "";
      const items = parseItems(SendIn, emailLimits.batch, parseJson(text));
      const result = await onceForForm(c, (ctx) => sendBatch(ctx, items, false));
      return respondPage(c, <BatchResultPage result={result} />);
    }),
  );

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const reason = error instanceof SyntaxError ? `: ${error.message}` : "";
    throw unprocessable([{ loc: ["body", "items"], msg: `This is not JSON${reason}`, type: "json_invalid" }]);
  }
}

function showForm(c: AppContext) {
  return respondPage(c, <BatchPage />);
}
