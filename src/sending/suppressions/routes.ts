import * as z from "zod";
import { newRoutes } from "../../http/env.ts";
import { idempotent } from "../../http/idempotency.ts";
import { operationsOf, pathText, responses, success } from "../../http/openapi.ts";
import { onePage, pageQuery, refuseDeepPages } from "../../http/pagination.ts";
import { body, query } from "../../http/validate.ts";
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

const operation = operationsOf("Suppressions");
const email = pathText("email", "The address, percent-encoded", "ada@example.org", "email");

export const suppressionRoutes = newRoutes()
  .get(
    "/v1/suppressions/",
    operation("contacts:view", "listSuppressions", {
      summary: "List suppressed addresses",
      description: "An unsubscribe from one topic has an entry of its own, with `topic_id`.",
      responses: responses(200, "A page of addresses in alphabetical order", z.array(SuppressionOut), [403]),
    }),
    query(ListQuery),
    async (c) => {
      const { limit, after_topic: afterTopic, ...rest } = c.req.valid("query");
      const found = await listSuppressions(c.get("caller"), { ...rest, afterTopic, limit });
      const cursorOf = ({ email: after, topicId }: SuppressionRow) => ({ after, after_topic: topicId });
      return c.json(onePage(c, found, limit, cursorOf).map(toSuppression));
    },
  )
  .post(
    "/v1/suppressions/",
    operation("contacts:manage", "addSuppression", {
      summary: "Add an address to the suppression list",
      description: "Returns 200 with the stored entry when the address is already suppressed.",
      responses: {
        ...responses(201, "The suppression", SuppressionOut, [403, 404, 409, 413, 415]),
        ...success(200, "The address was already suppressed: the stored suppression", SuppressionOut),
      },
    }),
    ...body(SuppressionIn),
    idempotent(201),
    async (c) => {
      const { isNew, suppression } = await addSuppression(c.get("caller"), c.req.valid("json"));
      return c.json(suppression, isNew ? 201 : 200);
    },
  )
  .delete(
    "/v1/suppressions/:email",
    operation("contacts:manage", "removeSuppression", {
      summary: "Remove an address from the suppression list",
      description:
        "Ends every reason for all mail. With `topic_id` it removes the unsubscribe from that topic only, so that its default counts again.",
      parameters: [email],
      responses: responses(204, "Removed", null, [403, 404]),
    }),
    query(RemoveQuery),
    async (c) => {
      const { topic_id: topicId } = c.req.valid("query");
      if (topicId === undefined) await removeSuppression(c.get("caller"), c.req.param("email"));
      else await removeTopicUnsubscribe(c.get("caller"), c.req.param("email"), topicId);
      return c.body(null, 204);
    },
  );
