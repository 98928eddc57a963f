import * as z from "zod";
import { apiRoutes, outlives } from "../../http/api-routes.ts";
import { fileBody } from "../../http/file-body.ts";
import { pathText, uploadBody } from "../../http/openapi.ts";
import { onePage, pageQuery, refuseDeepPages } from "../../http/pagination.ts";
import { addressKey, parseAddress } from "../../lib/addresses.ts";
import { inMiB } from "../../lib/bytes.ts";
import { importLimits } from "../../lib/csv/limits.ts";
import { uuidText } from "../../lib/id-field.ts";
import { addSuppression } from "./add.ts";
import { importSuppressions } from "./import.ts";
import { listSuppressions, type SuppressionRow } from "./queries.ts";
import { removeSuppression } from "./remove.ts";
import {
  SuppressionImportOut,
  SuppressionImportQuery,
  SuppressionIn,
  SuppressionOut,
  toSuppression,
} from "./schema.ts";
import { removeTopicUnsubscribe } from "./topic-unsubscribes.ts";

const ListQuery = z
  .object({
    ...pageQuery({ default: 100, max: 500 }),
    email: z
      .string()
      .transform((email) => parseAddress(email)?.key ?? null)
      .optional()
      .describe("Only this address."),
    after: z
      .string()
      .transform(addressKey)
      .optional()
      .describe(
        "Continues after the entry of this address, with its topics. Taken from the Link header of the page before.",
      ),
    after_topic: uuidText("after_topic must be the value of a Link header")
      .optional()
      .describe(
        "With `after`: continues after this topic of the address. Taken from the Link header of the page before.",
      ),
  })
  .superRefine(refuseDeepPages);

const RemoveQuery = z.object({
  topic_id: uuidText().optional().describe("Only the unsubscribe from this topic."),
});

const exampleCsv = "email,reason,created_at\r\nada@example.org,unsubscribed,2026-03-04T05:06:07Z\r\n";

const email = pathText("email", "The address, percent-encoded", "ada@example.org", "email");

export const suppressionRoutes = apiRoutes("Suppressions")
  .get("/v1/suppressions/", "listSuppressions", "contacts:view", {
    summary: "List suppressed addresses",
    description: "An unsubscribe from one topic has an entry of its own, with `topic_id`.",
    query: ListQuery,
    returns: { 200: ["A page of addresses in alphabetical order", z.array(SuppressionOut)] },
    run: async (caller, { query }, c) => {
      const { limit, after_topic: afterTopic, ...rest } = query;
      const found = await listSuppressions(caller, { ...rest, afterTopic, limit });
      const cursorOf = ({ email: after, topicId }: SuppressionRow) => ({ after, after_topic: topicId });
      return onePage(c, found, limit, cursorOf).map(toSuppression);
    },
  })
  .post("/v1/suppressions/", "addSuppression", "contacts:manage", outlives.nothing, {
    summary: "Add an address to the suppression list",
    description: "Returns 200 with the stored entry when the address is already suppressed.",
    body: SuppressionIn,
    returns: {
      201: ["The suppression", SuppressionOut],
      200: ["The address was already suppressed: the stored suppression", SuppressionOut],
    },
    errors: [404],
    run: async (caller, { body }, c) => {
      const { isNew, suppression } = await addSuppression(caller, body);
      return c.json(suppression, isNew ? 201 : 200);
    },
  })
  .post("/v1/suppressions/import", "importSuppressions", "contacts:manage", outlives.nothing, {
    summary: "Import suppressed addresses from a CSV file",
    description:
      "The columns are `email`, `reason` and `created_at`, in any case; the last two may be missing or empty. Reasons of other services are read by their words, such as `unsubscribed`, `hard bounce` or `spam report`; a time is in ISO 8601, in UTC when it names no zone, or in seconds since 1970. " +
      `At most ${importLimits.rows.toLocaleString("en")} rows and ${inMiB(importLimits.fileBytes)}. A row that cannot be read is reported in \`errors\` by its number, and the other rows are imported.`,
    requestBody: uploadBody({ description: "The CSV file.", example: exampleCsv }),
    query: SuppressionImportQuery,
    before: fileBody("file", importLimits.fileBytes),
    returns: { 200: ["What was imported", SuppressionImportOut] },
    errors: [400, 408, 413, 415],
    run: (caller, { query }, c) => importSuppressions(caller, c.get("file") ?? new Uint8Array(), query.reason),
  })
  .delete("/v1/suppressions/:email", "removeSuppression", "contacts:manage", outlives.nothing, {
    summary: "Remove an address from the suppression list",
    description:
      "Ends every reason for all mail. With `topic_id` it removes the unsubscribe from that topic only, so that its default counts again.",
    parameters: [email],
    query: RemoveQuery,
    returns: { 204: "Removed" },
    run: async (caller, { email, query }, c) => {
      const { topic_id: topicId } = query;
      if (topicId === undefined) await removeSuppression(caller, email);
      else await removeTopicUnsubscribe(caller, email, topicId);
      return c.body(null, 204);
    },
  });
