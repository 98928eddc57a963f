import * as z from "zod";
import { newRoutes } from "../../http/env.ts";
import { idempotent } from "../../http/idempotency.ts";
import { noContent } from "../../http/no-content.ts";
import { operationsOf, responses } from "../../http/openapi.ts";
import { cursorQuery, respondList } from "../../http/pagination.ts";
import { body, query } from "../../http/validate.ts";
import { choosePersonTopics, getPersonTopics } from "./choose.ts";
import { createTopic } from "./create.ts";
import { deleteTopic } from "./delete.ts";
import { getTopic, listTopics } from "./queries.ts";
import { limits } from "./rules.ts";
import { PersonTopicsIn, PersonTopicsOut, TopicIn, TopicOut, TopicPatch, toTopic } from "./schema.ts";
import { updateTopic } from "./update.ts";

const operation = operationsOf("Topics");

export const topicRoutes = newRoutes()
  .post(
    "/v1/topics/",
    operation("contacts:manage", "createTopic", {
      summary: "Create a topic",
      description: `A workspace has at most ${limits.topicsPerWorkspace} topics.`,
      responses: responses(201, "The topic", TopicOut, [403, 409, 413, 415]),
    }),
    ...body(TopicIn),
    idempotent(201),
    async (c) => c.json(await createTopic(c.get("caller"), c.req.valid("json")), 201),
  )
  .get(
    "/v1/topics/",
    operation("contacts:view", "listTopics", {
      summary: "List topics, oldest first",
      responses: responses(200, "A page of topics", z.array(TopicOut), [403]),
    }),
    query(z.object(cursorQuery)),
    (c) => respondList(c, { read: listTopics, after: ({ id }) => id, serialize: toTopic }),
  )
  .get(
    "/v1/topics/:topic_id",
    operation("contacts:view", "getTopic", {
      summary: "Get a topic",
      responses: responses(200, "The topic", TopicOut, [403, 404]),
    }),
    async (c) => c.json(toTopic(await getTopic(c.get("caller"), c.req.param("topic_id")))),
  )
  .patch(
    "/v1/topics/:topic_id",
    operation("contacts:manage", "updateTopic", {
      summary: "Update a topic",
      description: "A field left out keeps its value. `default` cannot be changed (422).",
      responses: responses(200, "The topic", TopicOut, [403, 404, 413, 415]),
    }),
    ...body(TopicPatch),
    async (c) => c.json(await updateTopic(c.get("caller"), c.req.param("topic_id"), c.req.valid("json"))),
  )
  .delete(
    "/v1/topics/:topic_id",
    operation("contacts:manage", "deleteTopic", {
      summary: "Delete a topic with the choices about it",
      description: "Its mail that has not left is not sent any more: emails and broadcasts of it are cancelled.",
      responses: responses(204, "Deleted", null, [403, 404]),
    }),
    (c) => noContent(c, deleteTopic(c.get("caller"), c.req.param("topic_id"))),
  )
  .get(
    "/v1/people/:email/topics",
    operation("contacts:view", "getPersonTopics", {
      summary: "List the topics of a person",
      description: "A person is an address of the workspace, with or without a contact. All topics, oldest first.",
      responses: responses(200, "The topics and the person's choices", PersonTopicsOut, [403, 404]),
    }),
    async (c) => c.json(await getPersonTopics(c.get("caller"), c.req.param("email"))),
  )
  .put(
    "/v1/people/:email/topics",
    operation("contacts:manage", "updatePersonTopics", {
      summary: "Set a person's choices of topics",
      description:
        "Record only what the person asked for. An unsubscribe from all mail stays; DELETE /v1/suppressions/{email} ends it.",
      responses: responses(200, "The topics and the person's choices", PersonTopicsOut, [403, 404, 413, 415]),
    }),
    ...body(PersonTopicsIn),
    async (c) => c.json(await choosePersonTopics(c.get("caller"), c.req.param("email"), c.req.valid("json"))),
  );
