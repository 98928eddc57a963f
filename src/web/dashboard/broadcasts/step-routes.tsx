import { BroadcastIn, createBroadcast, sendBroadcast, sendTest, TestIn } from "../../../audience/broadcasts/index.ts";
import { type AppContext, newRoutes } from "../../../http/env.ts";
import { respondMailHtml } from "../../../http/page.tsx";
import { attempt, onceForForm, pageFor, parseFields, readForm, submitForm } from "../../../http/page-routes.ts";
import { requireRight } from "../../../http/require-right.ts";
import { unprocessable } from "../../../lib/errors.ts";
import { textAsHtml } from "../../../lib/placeholders.ts";
import { getTemplate, toTemplate } from "../../../sending/templates/index.ts";
import { chosenTemplate } from "../template-list.tsx";
import { addVariants, idOf, parseVariants, removeVariant, saveStep } from "./save-step.tsx";
import { showBroadcast } from "./show.tsx";
import { showAudience, showContent, showNew, showReview, showTest } from "./show-step.tsx";
import { readStepForm, toPatch } from "./step-form.tsx";
import { pathOfStep, type Step, stepBeside } from "./steps.ts";

/** Greatest body of the form with the content, in bytes: percent-encoding triples what it has to. */
const MAX_FORM_BYTES = 3_000_000;

const API = "/v1/broadcasts/:broadcast_id";
const CREATE = "POST /v1/broadcasts/";
const UPDATE = `PATCH ${API}`;
const SEND = `POST ${API}/send`;
const TEST = `POST ${API}/test`;

/** The pages that write a broadcast in four steps. Each step saves the draft. */
export const stepPages = newRoutes()
  .get("/app/broadcasts/new", ...pageFor(CREATE), showNew)
  .post("/app/broadcasts/new", ...pageFor(CREATE), (c) =>
    submitForm(c, showNew, async (fields) => {
      const request = { subject: "", ...toPatch(readStepForm("audience", fields)) };
      const input = parseFields(BroadcastIn, request);
      const { id } = await onceForForm(c, (ctx) => createBroadcast(ctx, input));
      return pathOfStep(id, "content");
    }),
  )
  .post("/app/broadcasts/preview", ...pageFor(CREATE), async (c) => {
    const { values } = readStepForm("content", await readForm(c, MAX_FORM_BYTES));
    const { html_body: html = "", text_body: text = "" } = values;
    return respondMailHtml(c, html === "" ? textAsHtml(text) : html);
  })
  .get("/app/broadcasts/:broadcast_id/audience", ...pageFor(UPDATE), showAudience)
  .post("/app/broadcasts/:broadcast_id/audience", ...pageFor(UPDATE), (c) =>
    submitForm(c, showAudience, async (fields) => {
      await saveStep(c, readStepForm("audience", fields));
      return pathOfStep(idOf(c), "content");
    }),
  )
  .get("/app/broadcasts/:broadcast_id/content", ...pageFor(UPDATE), (c) => showContent(c))
  .post("/app/broadcasts/:broadcast_id/content", ...pageFor(UPDATE), async (c) => {
    const fields = await readForm(c, MAX_FORM_BYTES);
    const templateId = chosenTemplate(fields);
    if (templateId !== null) return fillIn(c, fields, templateId);
    return attempt(c, showContent, async () => {
      const form = readStepForm("content", fields);
      const variants = parseVariants(form);
      await saveStep(c, form);
      await addVariants(c, variants);
      return pathOfStep(idOf(c), await afterContent(c, fields.get("action") ?? ""));
    });
  })
  .get("/app/broadcasts/:broadcast_id/test", ...pageFor(TEST), showTest)
  .post("/app/broadcasts/:broadcast_id/test", ...pageFor(TEST), (c) =>
    submitForm(c, showTest, async (fields) => {
      const request = { to: [fields.get("to") ?? ""], variant_id: fields.get("variant_id") || null };
      await sendTest(c.get("caller"), idOf(c), parseFields(TestIn, request));
      return `${pathOfStep(idOf(c), "test")}?done=tested`;
    }),
  )
  .get("/app/broadcasts/:broadcast_id/review", ...pageFor(`GET ${API}`), showReview)
  .post("/app/broadcasts/:broadcast_id/review", ...pageFor(UPDATE), (c) =>
    submitForm(c, showReview, (fields) => finish(c, fields)),
  )
  .post("/app/broadcasts/:broadcast_id/send", ...pageFor(SEND), (c) =>
    attempt(c, showBroadcast, async () => {
      await sendBroadcast(c.get("caller"), idOf(c));
      return `/app/broadcasts/${idOf(c)}?done=sending`;
    }),
  );

/** Fills the content of a template in the form, which saves it. */
async function fillIn(c: AppContext, fields: URLSearchParams, templateId: string): Promise<Response> {
  requireRight(c.get("caller").actor, "GET /v1/templates/:template_id", c.get("routes"));
  const template = toTemplate(await getTemplate(c.get("caller"), templateId));
  fields.set("language", template.language);
  fields.set("subject", template.subject ?? fields.get("subject") ?? "");
  fields.set("html_body", template.html_body ?? "");
  fields.set("text_body", template.text_body ?? "");
  return showContent(c, template.name);
}

/** Does what else a button of the content asks for. Returns the step that it leads to. */
async function afterContent(c: AppContext, action: string): Promise<Step> {
  const removed = /^remove:(.+)$/.exec(action)?.[1];
  if (removed !== undefined) await removeVariant(c, removed);
  if (removed !== undefined || action === "save") return "content";
  return stepBeside("content", action === "back" ? "previous" : "next");
}

/** Saves the time of a broadcast, then sends it when its button asks for that. Returns the path of the next page. */
async function finish(c: AppContext, fields: URLSearchParams): Promise<string> {
  const form = readStepForm("review", fields);
  const action = fields.get("action") ?? "";
  const isLater = fields.get("when") === "later";
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
