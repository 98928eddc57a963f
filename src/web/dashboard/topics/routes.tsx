import { inputOf, isChecked } from "../../../http/form-input.ts";
import { respondPage } from "../../../http/page.tsx";
import { change, creation, deletion, page, pagesOf } from "../../../http/page-actions.tsx";
import { MOST_COUNTED } from "../../../platform/budgets/budget.ts";
import {
  createTopic,
  deleteTopic,
  getTopic,
  listTopics,
  TopicIn,
  TopicPatch,
  toTopic,
  updateTopic,
} from "../../../sending/topics/index.ts";
import { TopicPage, TopicsPage } from "./page.tsx";

const UPDATE = "PATCH /v1/topics/:topic_id";

export const topicPages = pagesOf(
  "topic",
  page("/app/topics", "GET /v1/topics/", async (c) => {
    const topics = await listTopics(c.get("caller"), { limit: MOST_COUNTED });
    return respondPage(c, <TopicsPage topics={topics.map(toTopic)} />);
  }),
  creation("/app/topics", "POST /v1/topics/", { read: inputOf(TopicIn, { is_public: isChecked }), run: createTopic }),
  page("/app/topics/:topic_id", UPDATE, async (c) => {
    const topic = await getTopic(c.get("caller"), c.req.param("topic_id"));
    return respondPage(c, <TopicPage topic={toTopic(topic)} />);
  }),
  change("/app/topics/:topic_id", UPDATE, {
    read: inputOf(TopicPatch, { is_public: isChecked }),
    run: updateTopic,
    to: "/app/topics",
  }),
  deletion("/app/topics/:topic_id/delete", "DELETE /v1/topics/:topic_id", {
    of: getTopic,
    title: ({ name }) => `Delete ${name}?`,
    text: "What people chose about it is deleted too. Its emails that have not left, and its broadcasts, are cancelled.",
    run: deleteTopic,
  }),
);
