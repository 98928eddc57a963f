import * as z from "zod";
import { apiRoutes, outlives } from "../../http/api-routes.ts";
import { cursorQuery, respondList } from "../../http/pagination.ts";
import { budgetOf } from "../../platform/budgets/spent.ts";
import { choosePersonTopics, getPersonTopics } from "./choose.ts";
import { createTopic } from "./create.ts";
import { deleteTopic } from "./delete.ts";
import { getTopic, listTopics } from "./queries.ts";
import { PersonTopicsIn, PersonTopicsOut, TopicIn, TopicOut, TopicPatch, toTopic } from "./schema.ts";
import { updateTopic } from "./update.ts";

export const topicRoutes = apiRoutes("Topics")
  .post("/v1/topics/", "createTopic", "contacts:manage", outlives.nothing, {
    summary: "Create a topic",
    description: `A workspace has at most ${budgetOf("topics").rows} topics.`,
    body: TopicIn,
    returns: { 201: ["The topic", TopicOut] },
    run: (caller, { body }) => createTopic(caller, body),
  })
  .get("/v1/topics/", "listTopics", "contacts:view", {
    summary: "List topics, oldest first",
    query: z.object(cursorQuery),
    returns: { 200: ["A page of topics", z.array(TopicOut)] },
    run: (_caller, { query }, c) =>
      respondList(c, query, { read: listTopics, after: ({ id }) => id, serialize: toTopic }),
  })
  .get("/v1/topics/:topic_id", "getTopic", "contacts:view", {
    summary: "Get a topic",
    returns: { 200: ["The topic", TopicOut] },
    run: async (caller, { topic_id }) => toTopic(await getTopic(caller, topic_id)),
  })
  .patch("/v1/topics/:topic_id", "updateTopic", "contacts:manage", outlives.nothing, {
    summary: "Update a topic",
    description: "A field left out keeps its value. `default` cannot be changed (422).",
    body: TopicPatch,
    returns: { 200: ["The topic", TopicOut] },
    run: (caller, { topic_id, body }) => updateTopic(caller, topic_id, body),
  })
  .delete("/v1/topics/:topic_id", "deleteTopic", "contacts:manage", outlives.nothing, {
    summary: "Delete a topic with the choices about it",
    description: "Its mail that has not left is not sent any more: emails and broadcasts of it are cancelled.",
    returns: { 204: "Deleted" },
    run: (caller, { topic_id }) => deleteTopic(caller, topic_id),
  })
  .get("/v1/people/:email/topics", "getPersonTopics", "contacts:view", {
    summary: "List the topics of a person",
    description: "A person is an address of the workspace, with or without a contact. All topics, oldest first.",
    returns: { 200: ["The topics and the person's choices", PersonTopicsOut] },
    run: (caller, { email }) => getPersonTopics(caller, email),
  })
  .put("/v1/people/:email/topics", "updatePersonTopics", "contacts:manage", outlives.nothing, {
    summary: "Set a person's choices of topics",
    description:
      "Record only what the person asked for. An unsubscribe from all mail stays; DELETE /v1/suppressions/{email} ends it.",
    body: PersonTopicsIn,
    returns: { 200: ["The topics and the person's choices", PersonTopicsOut] },
    run: (caller, { email, body }) => choosePersonTopics(caller, email, body),
  });
