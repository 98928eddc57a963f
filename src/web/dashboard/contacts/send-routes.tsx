import type { Context } from "hono";
import { Hono } from "hono";
import { BulkSendIn, sendToList } from "../../../audience/broadcasts/index.ts";
import { getList, toList } from "../../../audience/contacts/index.ts";
import type { AppEnv } from "../../../http/env.ts";
import { readForm } from "../../../http/fields.ts";
import { onceForForm } from "../../../http/idempotency.ts";
import { respondPage } from "../../../http/page.tsx";
import { parseFields, type Refusal, submitForm } from "../../../http/page-form.ts";
import { pageFor } from "../../../http/page-right.ts";
import { listTopics, topicLimits } from "../../../sending/topics/index.ts";
import { listSenders } from "../senders.ts";
import { type SendForm, SendPage, SentPage } from "./send-page.tsx";

const SEND = "POST /v1/contacts/:list_id/send";
/** Greatest body of the form, in bytes: percent-encoding triples what it has to. */
const MAX_FORM_BYTES = 3_000_000;

/** The page that mails a list. */
export const sendPages = new Hono<AppEnv>()
  .get("/app/contacts/:list_id/send", ...pageFor(SEND), (c) =>
    showForm(c, { mailbox_id: "", subject: "", html: "", text: "", topic_id: "", idempotencyKey: crypto.randomUUID() }),
  )
  .post("/app/contacts/:list_id/send", ...pageFor(SEND), async (c) => {
    const caller = c.get("caller");
    const listId = c.req.param("list_id");
    const fields = await readForm(c, MAX_FORM_BYTES);
    const field = (name: string) => (fields.get(name) ?? "").replaceAll("\r\n", "\n");
    const form: SendForm = {
      ...{ mailbox_id: field("mailbox_id"), subject: field("subject"), html: field("html"), text: field("text") },
      ...{ topic_id: field("topic_id"), idempotencyKey: field("idempotency_key") },
    };
    return submitForm(
      c,
      async () => {
        const { idempotencyKey, html, text, topic_id: topic, ...rest } = form;
        const list = toList(await getList(caller, listId));
        const request = {
          ...rest,
          contact_list_id: list.id,
          html: html || null,
          text: text || null,
          topic_id: topic || null,
        };
        const input = parseFields(BulkSendIn, request);
        const send = onceForForm(c, idempotencyKey, JSON.stringify(request), (ctx) => sendToList(ctx, list.id, input));
        return respondPage(c, <SentPage caller={caller} list={list} result={await send} />);
      },
      (refusal) => showForm(c, form, refusal),
    );
  });

async function showForm(c: Context<AppEnv>, form: SendForm, refusal?: Refusal) {
  const caller = c.get("caller");
  const [list, senders, topics] = await Promise.all([
    getList(caller, c.req.param("list_id") ?? ""),
    listSenders(caller),
    listTopics(caller, { limit: topicLimits.topicsPerWorkspace }),
  ]);
  const page = <SendPage {...{ caller, senders, topics, form, refusal }} list={toList(list)} />;
  return respondPage(c, page, { status: refusal?.status ?? 200 });
}
