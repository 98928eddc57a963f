import type { Context } from "hono";
import { Hono } from "hono";
import type { AppEnv } from "../../../http/env.ts";
import { readForm } from "../../../http/fields.ts";
import { onceForForm } from "../../../http/idempotency.ts";
import { respondPage } from "../../../http/page.tsx";
import { parseFields, type Refusal, submitForm, textOf } from "../../../http/page-form.ts";
import { pageFor } from "../../../http/page-right.ts";
import { parseAddress } from "../../../lib/addresses.ts";
import {
  addSuppression,
  listSuppressions,
  removeSuppression,
  removeTopicUnsubscribe,
  SuppressionIn,
  toSuppression,
} from "../../../sending/suppressions/index.ts";
import { SuppressionsPage } from "./page.tsx";

const PAGE_SIZE = 100;

const notices: Readonly<Record<string, string>> = {
  added: "The address is suppressed.",
};

export const suppressionPages = new Hono<AppEnv>()
  .get("/app/suppressions", ...pageFor("GET /v1/suppressions/"), (c) => showList(c))
  .post("/app/suppressions", ...pageFor("POST /v1/suppressions/"), async (c) => {
    const fields = await readForm(c);
    const form = { email: fields.get("email") ?? "", idempotencyKey: fields.get("idempotency_key") ?? "" };
    return submitForm(
      c,
      async () => {
        const reason = fields.get("reason");
        const topic = { topic_id: textOf(fields, "topic_id") };
        const given = { email: form.email.trim(), ...(reason === null ? {} : { reason }), ...topic };
        const input = parseFields(SuppressionIn, given);
        await onceForForm(c, form.idempotencyKey, input.email, (ctx) => addSuppression(ctx, input));
        return "/app/suppressions?done=added";
      },
      (refusal) => showList(c, { form, refusal }),
    );
  })
  .post("/app/suppressions/remove", ...pageFor("DELETE /v1/suppressions/:email"), async (c) => {
    const fields = await readForm(c);
    const email = fields.get("email") ?? "";
    const topicId = textOf(fields, "topic_id");
    if (topicId === null) await removeSuppression(c.get("caller"), email);
    else await removeTopicUnsubscribe(c.get("caller"), email, topicId);
    const about = {
      email,
      reason: fields.get("reason") ?? "manual",
      ...(topicId === null ? {} : { topic_id: topicId }),
    };
    return c.redirect(`/app/suppressions?${new URLSearchParams({ done: "removed", ...about })}`, 303);
  });

async function showList(
  c: Context<AppEnv>,
  submitted?: { form: { email: string; idempotencyKey: string }; refusal: Refusal },
) {
  const caller = c.get("caller");
  const search = c.req.query("address")?.trim() ?? "";
  const after = c.req.query("after");
  const afterTopic = c.req.query("after_topic");
  const found = await listSuppressions(caller, {
    ...(search === "" ? {} : { email: parseAddress(search)?.key ?? null }),
    ...(after ? { after } : {}),
    ...(afterTopic ? { afterTopic } : {}),
    ...{ page: 0, limit: PAGE_SIZE },
  });
  const shown = found.slice(0, PAGE_SIZE);
  const last = found.length > PAGE_SIZE ? shown.at(-1) : undefined;
  const page = (
    <SuppressionsPage
      caller={caller}
      suppressions={shown.map((row) => ({ ...toSuppression(row), topicName: row.topicName ?? null }))}
      search={search}
      form={submitted?.form ?? { email: "", idempotencyKey: crypto.randomUUID() }}
      next={last === undefined ? null : nextPage(last)}
      notice={submitted ? undefined : notices[c.req.query("done") ?? ""]}
      removed={submitted ? undefined : readRemoved(c)}
      refusal={submitted?.refusal}
    />
  );
  return respondPage(c, page, { status: submitted?.refusal.status ?? 200 });
}

function nextPage({ email, topicId }: { email: string; topicId: string | null }): string {
  const after = { after: email, ...(topicId === null ? {} : { after_topic: topicId }) };
  return `/app/suppressions?${new URLSearchParams(after)}`;
}

/** Returns the entry that was just removed. */
function readRemoved(c: Context<AppEnv>) {
  const { done, email, reason, topic_id: topicId } = c.req.query();
  if (done !== "removed" || !email) return undefined;
  return { email, reason: reason ?? "manual", topicId: topicId || null };
}
