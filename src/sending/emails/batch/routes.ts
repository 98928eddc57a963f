import { apiRoutes, outlives } from "../../../http/api-routes.ts";
import { listWithAttachments } from "../../../http/validate.ts";
import { unprocessable } from "../../../lib/errors.ts";
import { batchUpload, ContentUpload } from "../content/index.ts";
import { limits } from "../rules.ts";
import { SendIn } from "../schema.ts";
import { withWarnings } from "../send/index.ts";
import { BatchOut } from "./schema.ts";
import { sendBatch } from "./send.ts";

const batchMode = {
  in: "header" as const,
  name: "X-Batch-Mode",
  description: "`strict`: one invalid item refuses the whole batch with a 422.",
  schema: { type: "string" as const, enum: ["strict"] },
};

/** Returns whether the mode is strict. Throws 422 for another mode: a misspelled one would send what it should refuse. */
function readMode(mode: string | undefined): boolean {
  if (mode === undefined) return false;
  if (mode.trim().toLowerCase() === "strict") return true;
  const msg = "X-Batch-Mode must be strict, or be left out";
  throw unprocessable([{ loc: ["header", "X-Batch-Mode"], msg, type: "enum" }]);
}

export const batchRoutes = apiRoutes("Emails").post(
  "/v1/emails/batch",
  "sendEmailBatch",
  "emails:send",
  outlives.nothing,
  {
    summary: `Send up to ${limits.batch} emails`,
    description: "Each item is accepted or refused on its own. Results keep the order.",
    parameters: [batchMode],
    body: listWithAttachments(SendIn, limits.batch, batchUpload),
    returns: { 202: ["One result for each item", BatchOut] },
    errors: [400, 408],
    run: async (caller, { body: items }, c) => {
      const attachments = c.get("attachments");
      const upload = attachments instanceof ContentUpload ? attachments : undefined;
      const isStrict = readMode(c.req.header("X-Batch-Mode"));
      const sent = await c.req.json<unknown[]>();
      const warned = items.map((item, index) =>
        "input" in item ? { input: withWarnings(item.input, sent[index]) } : item,
      );
      return sendBatch(caller, warned, isStrict, upload);
    },
  },
);
