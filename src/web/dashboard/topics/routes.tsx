import type { Context } from "hono";
import { Hono } from "hono";
import type { AppEnv } from "../../../http/env.ts";
import { readForm } from "../../../http/fields.ts";
import { onceForForm } from "../../../http/idempotency.ts";
import { respondPage } from "../../../http/page.tsx";
import { parseFields, type Refusal, submitForm, textOf } from "../../../http/page-form.ts";
import { pageFor } from "../../../http/page-right.ts";
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
import { type TopicForm, TopicPage, TopicsPage } from "./page.tsx";

const notices: Readonly<Record<string, string>> = {
  created: "The topic is created.",
  changed: "The topic is changed.",
  deleted: "The topic is deleted.",
};

const DELETE = "DELETE /v1/topics/:topic_id";
const UPDATE = "PATCH /v1/topics/:topic_id";

export const topicPages = new Hono<AppEnv>()
  .get("/app/topics", ...pageFor("GET /v1/topics/"), (c) => showTopics(c))
  .post("/app/topics", ...pageFor("POST /v1/topics/"), async (c) => {
    const form = toForm(await readForm(c));
    return submitForm(
      c,
      async () => {
        const input = parseFields(TopicIn, { ...toFields(form), default: form.default });
        await onceForForm(c, form.idempotencyKey, JSON.stringify(input), (ctx) => createTopic(ctx, input));
        return "/app/topics?done=created";
      },
      (refusal) => showTopics(c, { form, refusal }),
    );
  })
  .get("/app/topics/:topic_id", ...pageFor(UPDATE), (c) => showTopic(c))
  .post("/app/topics/:topic_id", ...pageFor(UPDATE), async (c) => {
    const form = toForm(await readForm(c));
    return submitForm(
      c,
      async () => {
        await updateTopic(c.get("caller"), c.req.param("topic_id"), parseFields(TopicPatch, toFields(form)));
        return "/app/topics?done=changed";
      },
      (refusal) => showTopic(c, { form, refusal }),
    );
  })
  .get("/app/topics/:topic_id/delete", ...pageFor(DELETE), async (c) => {
    const caller = c.get("caller");
    const { id, name } = await getTopic(caller, c.req.param("topic_id"));
    const page = (
      <ConfirmPage
        title={`Delete ${name}?`}
        button="Delete topic"
        back={`/app/topics/${id}`}
        at="/app/topics"
        caller={caller}
      >
        What people chose about it is deleted too. Its emails that have not left, and its broadcasts, are cancelled.
      </ConfirmPage>
    );
    return respondPage(c, page);
  })
  .post("/app/topics/:topic_id/delete", ...pageFor(DELETE), async (c) => {
    await deleteTopic(c.get("caller"), c.req.param("topic_id"));
    return c.redirect("/app/topics?done=deleted", 303);
  });

interface Submitted {
  form: TopicForm;
  refusal: Refusal;
}

const toForm = (fields: URLSearchParams): TopicForm => ({
  name: fields.get("name") ?? "",
  description: (fields.get("description") ?? "").replaceAll("\r\n", "\n"),
  default: fields.get("default") ?? "subscribed",
  isPublic: textOf(fields, "is_public") !== null,
  idempotencyKey: fields.get("idempotency_key") ?? "",
});

const toFields = ({ name, description, isPublic }: TopicForm) => ({
  name,
  description: description || null,
  is_public: isPublic,
});

async function showTopics(c: Context<AppEnv>, submitted?: Submitted) {
  const caller = c.get("caller");
  const topics = await listTopics(caller, { limit: topicLimits.topicsPerWorkspace });
  const empty = { name: "", description: "", default: "subscribed", isPublic: true };
  const page = (
    <TopicsPage
      caller={caller}
      topics={topics.map(toTopic)}
      form={submitted?.form ?? { ...empty, idempotencyKey: crypto.randomUUID() }}
      notice={submitted ? undefined : notices[c.req.query("done") ?? ""]}
      refusal={submitted?.refusal}
    />
  );
  return respondPage(c, page, { status: submitted?.refusal.status ?? 200 });
}

async function showTopic(c: Context<AppEnv>, submitted?: Submitted) {
  const caller = c.get("caller");
  const topic = toTopic(await getTopic(caller, c.req.param("topic_id") ?? ""));
  const stored = { ...topic, description: topic.description ?? "", isPublic: topic.is_public, idempotencyKey: "" };
  const page = <TopicPage {...{ caller, topic }} form={submitted?.form ?? stored} refusal={submitted?.refusal} />;
  return respondPage(c, page, { status: submitted?.refusal.status ?? 200 });
}
