import { type AppContext, newRoutes } from "../../../http/env.ts";
import { respondPage } from "../../../http/page.tsx";
import { onceForForm, pageFor, parseFields, submitForm, textOf } from "../../../http/page-routes.ts";
import { ConfirmPage } from "../../../http/ui/index.ts";
import {
  createTopic,
  deleteTopic,
  getTopic,
  listTopics,
  TopicIn,
  TopicPatch,
  topicLimits,
  toTopic,
  updateTopic,
} from "../../../sending/topics/index.ts";
import { TopicPage, TopicsPage } from "./page.tsx";

const notices: Readonly<Record<string, string>> = {
  created: "The topic is created.",
  changed: "The topic is changed.",
  deleted: "The topic is deleted.",
};

const DELETE = "DELETE /v1/topics/:topic_id";
const UPDATE = "PATCH /v1/topics/:topic_id";

export const topicPages = newRoutes()
  .get("/app/topics", ...pageFor("GET /v1/topics/"), showTopics)
  .post("/app/topics", ...pageFor("POST /v1/topics/"), (c) =>
    submitForm(c, showTopics, async (fields) => {
      const input = parseFields(TopicIn, { ...readFields(fields), default: fields.get("default") ?? "subscribed" });
      await onceForForm(c, (ctx) => createTopic(ctx, input));
      return "/app/topics?done=created";
    }),
  )
  .get("/app/topics/:topic_id", ...pageFor(UPDATE), showTopic)
  .post("/app/topics/:topic_id", ...pageFor(UPDATE), (c) =>
    submitForm(c, showTopic, async (fields) => {
      await updateTopic(c.get("caller"), c.req.param("topic_id"), parseFields(TopicPatch, readFields(fields)));
      return "/app/topics?done=changed";
    }),
  )
  .get("/app/topics/:topic_id/delete", ...pageFor(DELETE), async (c) => {
    const { id, name } = await getTopic(c.get("caller"), c.req.param("topic_id"));
    return respondPage(
      c,
      <ConfirmPage title={`Delete ${name}?`} button="Delete topic" back={`/app/topics/${id}`}>
        What people chose about it is deleted too. Its emails that have not left, and its broadcasts, are cancelled.
      </ConfirmPage>,
    );
  })
  .post("/app/topics/:topic_id/delete", ...pageFor(DELETE), async (c) => {
    await deleteTopic(c.get("caller"), c.req.param("topic_id"));
    return c.redirect("/app/topics?done=deleted", 303);
  });

/** Returns the fields of the API call. */
const readFields = (fields: URLSearchParams) => ({
  name: fields.get("name") ?? "",
  description: (fields.get("description") ?? "").replaceAll("\r\n", "\n") || null,
  is_public: textOf(fields, "is_public") !== null,
});

async function showTopics(c: AppContext) {
  const topics = await listTopics(c.get("caller"), { limit: topicLimits.topicsPerWorkspace });
  return respondPage(c, <TopicsPage topics={topics.map(toTopic)} />, { notices });
}

async function showTopic(c: AppContext) {
  const topic = await getTopic(c.get("caller"), c.req.param("topic_id") ?? "");
  return respondPage(c, <TopicPage topic={toTopic(topic)} />);
}
