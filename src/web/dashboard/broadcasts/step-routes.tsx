import type { Context } from "hono";
import { Hono } from "hono";
import { BroadcastIn, createBroadcast, sendBroadcast, sendTest, TestIn } from "../../../audience/broadcasts/index.ts";
import type { AppEnv } from "../../../http/env.ts";
import { readForm } from "../../../http/fields.ts";
import { onceForForm } from "../../../http/idempotency.ts";
import { respondMailHtml } from "../../../http/page.tsx";
import { parseFields, submitForm } from "../../../http/page-form.ts";
import { pageFor } from "../../../http/page-right.ts";
import { requireRight } from "../../../http/require-right.ts";
import { unprocessable } from "../../../lib/errors.ts";
import { textAsHtml } from "../../../lib/placeholders.ts";
import { getTemplate, toTemplate } from "../../../sending/templates/index.ts";
import { chosenTemplate } from "../template-list.tsx";
import { addVariants, idOf, parseVariants, removeVariant, saveStep } from "./save-step.tsx";
import { showBroadcast } from "./show.tsx";
import { showAudience, showContent, showNew, showReview, showTest } from "./show-step.tsx";
import { readStepForm, type StepForm, toPatch } from "./step-form.tsx";
import { pathOfStep, type Step, stepBeside } from "./steps.ts";

/** Greatest body of the form with the content, in bytes: percent-encoding triples what it has to. */
const MAX_FORM_BYTES = 3_000_000;

const API = "/v1/broadcasts/:broadcast_id";
const CREATE = "POST /v1/broadcasts/";
const UPDATE = `PATCH ${API}`;
const SEND = `POST ${API}/send`;
const TEST = `POST ${API}/test`;

/** The pages that write a broadcast in four steps. Each step saves the draft. */
export const stepPages = new Hono<AppEnv>()
  .get("/app/broadcasts/new", ...pageFor(CREATE), (c) => showNew(c))
  .post("/app/broadcasts/new", ...pageFor(CREATE), async (c) => {
    const form = readStepForm("audience", await readForm(c));
    return submitForm(
      c,
      async () => {
        const request = { subject: "", ...toPatch(form) };
        const input = parseFields(BroadcastIn, request);
        const run = onceForForm(c, form.idempotencyKey, JSON.stringify(request), (ctx) => createBroadcast(ctx, input));
        return pathOfStep((await run).id, "content");
      },
      (refusal) => showNew(c, { form, refusal }),
    );
  })
  .post("/app/broadcasts/preview", ...pageFor(CREATE), async (c) => {
    const { html_body: html = "", text_body: text = "" } = readStepForm("content", await readContent(c)).values;
    return respondMailHtml(c, html === "" ? textAsHtml(text) : html);
  })
  .get("/app/broadcasts/:broadcast_id/audience", ...pageFor(UPDATE), (c) => showAudience(c))
  .post("/app/broadcasts/:broadcast_id/audience", ...pageFor(UPDATE), async (c) => {
    const form = readStepForm("audience", await readForm(c));
    return submitForm(
      c,
      async () => {
        await saveStep(c, form);
        return pathOfStep(idOf(c), "content");
      },
      (refusal) => showAudience(c, { form, refusal }),
    );
  })
  .get("/app/broadcasts/:broadcast_id/content", ...pageFor(UPDATE), (c) => showContent(c))
  .post("/app/broadcasts/:broadcast_id/content", ...pageFor(UPDATE), async (c) => {
    const fields = await readContent(c);
    const form = readStepForm("content", fields);
    const templateId = chosenTemplate(fields);
    if (templateId !== null) return fillIn(c, form, templateId);
    return submitForm(
      c,
      async () => {
        const variants = parseVariants(form);
        await saveStep(c, form);
        await addVariants(c, form, variants);
        return pathOfStep(idOf(c), await afterContent(c, fields.get("action") ?? ""));
      },
      (refusal) => showContent(c, { form, refusal }),
    );
  })
  .get("/app/broadcasts/:broadcast_id/test", ...pageFor(TEST), (c) => showTest(c))
  .post("/app/broadcasts/:broadcast_id/test", ...pageFor(TEST), async (c) => {
    const fields = await readForm(c);
    const to = fields.get("to") ?? "";
    return submitForm(
      c,
      async () => {
        const request = { to: [to], variant_id: fields.get("variant_id") || null };
        await sendTest(c.get("caller"), idOf(c), parseFields(TestIn, request));
        return `${pathOfStep(idOf(c), "test")}?done=tested`;
      },
      (refusal) => showTest(c, { to, refusal }),
    );
  })
  .get("/app/broadcasts/:broadcast_id/review", ...pageFor(`GET ${API}`), (c) => showReview(c))
  .post("/app/broadcasts/:broadcast_id/review", ...pageFor(UPDATE), async (c) => {
    const fields = await readForm(c);
    const form = readStepForm("review", fields);
    const isLater = fields.get("when") === "later";
    return submitForm(
      c,
      () => finish(c, form, fields.get("action") ?? "", isLater),
      (refusal) => showReview(c, { form, refusal, isLater }),
    );
  })
  .post("/app/broadcasts/:broadcast_id/send", ...pageFor(SEND), (c) =>
    submitForm(
      c,
      async () => {
        await sendBroadcast(c.get("caller"), idOf(c));
        return `/app/broadcasts/${idOf(c)}?done=sending`;
      },
      (refusal) => showBroadcast(c, refusal),
    ),
  );

const readContent = (c: Context<AppEnv>) => readForm(c, MAX_FORM_BYTES);

/** Shows the content of a template in the form, which saves it. */
async function fillIn(c: Context<AppEnv>, form: StepForm, templateId: string): Promise<Response> {
  requireRight(c.get("caller").actor, "GET /v1/templates/:template_id", c.get("routes"));
  const template = toTemplate(await getTemplate(c.get("caller"), templateId));
  const content = {
    language: template.language,
    subject: template.subject ?? form.values.subject ?? "",
    html_body: template.html_body ?? "",
    text_body: template.text_body ?? "",
  };
  return showContent(c, { form: { ...form, values: { ...form.values, ...content } }, filledFrom: template.name });
}

/** Does what else a button of the content asks for. Returns the step that it leads to. */
async function afterContent(c: Context<AppEnv>, action: string): Promise<Step> {
  const removed = /^remove:(.+)$/.exec(action)?.[1];
  if (removed !== undefined) await removeVariant(c, removed);
  if (removed !== undefined || action === "save") return "content";
  return stepBeside("content", action === "back" ? "previous" : "next");
}

/** Saves the time of a broadcast, then sends it when its button asks for that. Returns the path of the next page. */
async function finish(c: Context<AppEnv>, form: StepForm, action: string, isLater: boolean): Promise<string> {
  const isSending = action === "send" && !isLater;
  if (isSending) requireRight(c.get("caller").actor, SEND, c.get("routes"));
  if (isLater && form.values.scheduled_at === "" && action !== "back")
    throw unprocessable([{ loc: ["body", "scheduled_at"], msg: "Choose a date and a time", type: "missing" }]);
  await saveStep(c, isLater ? form : { ...form, values: { ...form.values, scheduled_at: "" } });
  if (action === "back") return pathOfStep(idOf(c), "test");
  if (isSending) await sendBroadcast(c.get("caller"), idOf(c));
  else if (!isLater) return `${pathOfStep(idOf(c), "review")}?done=saved`;
  return `/app/broadcasts/${idOf(c)}?done=${isSending ? "sending" : "scheduled"}`;
}
