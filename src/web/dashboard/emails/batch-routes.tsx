import { respondPage } from "../../../http/page.tsx";
import { creation, page, pagesOf } from "../../../http/page-actions.tsx";
import { parseItems } from "../../../http/validate.ts";
import { unprocessable } from "../../../lib/errors.ts";
import { emailLimits, SendIn, sendBatch } from "../../../sending/emails/index.ts";
import { BatchPage, BatchResultPage } from "./batch.tsx";

/** Greatest body of the form, in bytes. */
const MAX_FORM_BYTES = 1_000_000;

const BATCH = "POST /v1/emails/batch";

export const batchPages = pagesOf(
  "batch",
  page("/app/emails/batch", BATCH, (c) => respondPage(c, <BatchPage />)),
  creation("/app/emails/batch", BATCH, {
    read: (fields) => parseItems(SendIn, emailLimits.batch, parseJson(fields.get("items") ?? "")),
    run: (ctx, items) => sendBatch(ctx, items, false),
    to: (result, c) => respondPage(c, <BatchResultPage result={result} />),
    maxBytes: MAX_FORM_BYTES,
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
