import { createBroadcast, sendBroadcast, sendTest, TestIn } from "../../../audience/broadcasts/index.ts";
import type { AppContext } from "../../../http/env.ts";
import { inputOf } from "../../../http/form-input.ts";
import { button, change, creation, page, post } from "../../../http/page-actions.tsx";
import { attempt, readForm, submitForm } from "../../../http/page-routes.ts";
import { requireRight } from "../../../http/require-right.ts";
import { unprocessable } from "../../../lib/errors.ts";
import { getTemplate, toTemplate } from "../../../sending/templates/index.ts";
import { changeOf, readContent, showContent as showPreview } from "../blocks/index.ts";
import { chosenTemplate } from "../template-list.tsx";
import { addVariants, idOf, parseVariants, removeVariant, saveStep } from "./save-step.tsx";
import { showBroadcast } from "./show.tsx";
import { findZone, showAudience, showContent, showNew, showReview, showTest } from "./show-step.tsx";
import { readStepForm, toBroadcast } from "./step-form.tsx";
import { pathOfStep, type Step, stepBeside } from "./steps.ts";

/** Greatest body of the form with the content, in bytes: percent-encoding triples what it has to. */
const MAX_FORM_BYTES = 3_000_000;

const API = "/v1/broadcasts/:broadcast_id";
const CREATE = "POST /v1/broadcasts/";
const UPDATE = `PATCH ${API}`;
const SEND = `POST ${API}/send`;
const TEST = `POST ${API}/test`;

/** The pages that write a broadcast in four steps. Each step saves the draft. */
export const stepRoutes = [
  page("/app/broadcasts/new", CREATE, showNew),
  creation("/app/broadcasts/new", CREATE, {
    read: (fields) => toBroadcast(readStepForm("audience", fields)),
    run: createBroadcast,
    to: ({ id }) => pathOfStep(id, "content"),
    done: {},
  }),
  post("/app/broadcasts/preview", CREATE, async (c) => {
    const fields = await readForm(c, MAX_FORM_BYTES);
    return showPreview(c, readContent(fields), fields);
  }),
  page("/app/broadcasts/:broadcast_id/audience", UPDATE, showAudience),
  post("/app/broadcasts/:broadcast_id/audience", UPDATE, (c) =>
    submitForm(c, showAudience, async (fields) => {
      await saveStep(c, readStepForm("audience", fields));
      return pathOfStep(idOf(c), "content");
    }),
  ),
  page("/app/broadcasts/:broadcast_id/content", UPDATE, (c) => showContent(c)),
  post("/app/broadcasts/:broadcast_id/content", UPDATE, async (c) => {
    const fields = await readForm(c, MAX_FORM_BYTES);
    const templateId = chosenTemplate(fields);
    if (templateId !== null) return fillIn(c, fields, templateId);
    const form = readStepForm("content", fields);
    if (changeOf(form.content?.blocks, fields)) return showContent(c);
    return attempt(c, showContent, async () => {
      const variants = parseVariants(form);
      await saveStep(c, form);
      await addVariants(c, variants);
      return pathOfStep(idOf(c), await afterContent(c, fields.get("action") ?? ""));
    });
  }),
  page("/app/broadcasts/:broadcast_id/test", TEST, showTest),
  change("/app/broadcasts/:broadcast_id/test", TEST, {
    read: inputOf(TestIn, { to: (form) => form.getAll("to") }),
    run: sendTest,
    done: { tested: "The test is on its way." },
  }),
  page("/app/broadcasts/:broadcast_id/review", `GET ${API}`, showReview),
  post(
    "/app/broadcasts/:broadcast_id/review",
    UPDATE,
    (c) => submitForm(c, showReview, (fields) => finish(c, fields)),
    { saved: "The broadcast is saved.", scheduled: "The broadcast is scheduled." },
  ),
  button("/app/broadcasts/:broadcast_id/send", SEND, {
    run: sendBroadcast,
    show: showBroadcast,
    to: "/app/broadcasts/:broadcast_id",
    done: { sending: "The broadcast is being sent." },
  }),
];

/** Fills the content of a template in the form, which saves it. */
async function fillIn(c: AppContext, fields: URLSearchParams, templateId: string): Promise<Response> {
  requireRight(c.get("caller").actor, "GET /v1/templates/:template_id", c.get("routes"));
  const template = toTemplate(await getTemplate(c.get("caller"), templateId));
  fields.set("subject", template.subject ?? fields.get("subject") ?? "");
  return showContent(c, template);
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
  // The time of day is the same in each zone, whatever the zone of the viewer is.
  if (fields.get("local_time_field")) fields.set("scheduled_at_zone", await findZone(c.get("caller")));
  const form = readStepForm("review", fields);
  const action = fields.get("action") ?? "";
  const isLater = fields.get("when") === "later";
  const isSending = action === "send" && !isLater;
  if (isSending) requireRight(c.get("caller").actor, SEND, c.get("routes"));
  if (isLater && form.values.scheduled_at === "" && action !== "back")
    throw unprocessable([{ loc: ["body", "scheduled_at"], msg: "Choose a date and a time", type: "missing" }]);
  await saveStep(c, isLater ? form : { ...form, values: { ...form.values, scheduled_at: "", local_time_field: "" } });
  if (action === "back") return pathOfStep(idOf(c), "test");
  if (isSending) await sendBroadcast(c.get("caller"), idOf(c));
  else if (!isLater) return `${pathOfStep(idOf(c), "review")}?done=saved`;
  return `/app/broadcasts/${idOf(c)}?done=${isSending ? "sending" : "scheduled"}`;
}
