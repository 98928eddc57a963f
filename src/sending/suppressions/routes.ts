import * as z from "zod";
import { apiRoutes, outlives } from "../../http/api-routes.ts";
import { pathText } from "../../http/openapi.ts";
import { onePage, pageQuery, refuseDeepPages } from "../../http/pagination.ts";
import { addressKey, parseAddress } from "../../lib/addresses.ts";
import { uuidText } from "../../lib/id-field.ts";
import { addSuppression } from "./add.ts";
import { listSuppressions, type SuppressionRow } from "./queries.ts";
import { removeSuppression } from "./remove.ts";
import { SuppressionIn, SuppressionOut, toSuppression } from "./schema.ts";
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
