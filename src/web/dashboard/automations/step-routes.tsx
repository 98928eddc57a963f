import {
  type AutomationOut,
  AutomationPatch,
  automationLimits,
  editAutomation,
  getAutomation,
  readRun,
  type Step,
  takeOut,
  toAutomation,
} from "../../../audience/automations/index.ts";
import type { AppContext } from "../../../http/env.ts";
import { respondPage } from "../../../http/page.tsx";
import { button, page, post } from "../../../http/page-actions.tsx";
import { attempt, parseFields, readForm, refusedAt } from "../../../http/page-routes.ts";
import { conflict, invalidField, notFound } from "../../../lib/errors.ts";
import { requireVersion } from "../../../lib/form-version.ts";
import { atBlocks, changeOf, editedContent, readContent } from "../blocks/index.ts";
import { emptyDraft, parseDraft, readConditions, toDraft } from "../conditions/index.ts";
import { namesOf, readChoices } from "./choices.ts";
import { insertStep, moveStep, removeStep, replaceStep, siblingOf, stepAt } from "./edit-steps.ts";
import type { Panel } from "./flow.tsx";
import { RunPage, StepPage, type StepPageProps } from "./pages.tsx";
import { stepId } from "./refused-at.ts";
import {
  CONDITIONS_OF,
  conditionsOfStep,
  contentOf,
  KINDS,
  shownSteps,
  toStepFields,
  valuesOfStep,
} from "./step-fields.ts";

/** Fields that are no part of a step by their names: of conditions, blocks, and the content of an email. */
const OF_NO_STEP = /\.|^(?:action|editor|language|html_body|text_body)$/;

/** Greatest body of the form of a step, in bytes: percent-encoding triples what it has to. */
const MAX_FORM_BYTES = 3 * automationLimits.bytes;

const UPDATE = "PATCH /v1/automations/:automation_id";
const STEP = "/app/automations/:automation_id/steps/:step";
const RUN = "/app/automations/:automation_id/runs/:run_id";
const RUN_CALL = "/v1/automations/:automation_id/runs/:run_id";

export const stepRoutes = [
  page("/app/automations/:automation_id/steps/new", UPDATE, async (c) => {
    const read = await readAll(c);
    const kind = c.req.query("kind") ?? "send_email";
    if (!Object.hasOwn(KINDS, kind)) throw notFound("Kind of step");
    const at = c.req.query("at") ?? String(read.automation.steps.length);
    // A branch has one condition at least.
    const first = { kind: "field" as const, values: {} };
    const draft = CONDITIONS_OF[kind] === "when" ? { ...emptyDraft(), parts: [first] } : emptyDraft();
    return showStep(c, { kind, values: {}, draft, place: { at, isNew: true }, read });
  }),
  post("/app/automations/:automation_id/steps/new", UPDATE, (c) =>
    saveStep(c, { at: c.req.query("at") ?? "", isNew: true }),
  ),
  page(STEP, UPDATE, async (c) => {
    const at = c.req.param("step");
    const read = await readAll(c);
    const step = stepAt(read.automation.steps as unknown as Step[], at);
    if (!step) throw notFound("Step");
    const draft = toDraft(conditionsOfStep(step));
    return showStep(c, { kind: step.kind, values: valuesOfStep(step), draft, place: { at, isNew: false }, read });
  }),
  post(STEP, UPDATE, (c) => saveStep(c, { at: c.req.param("step"), isNew: false })),
  post(`${STEP}/up`, UPDATE, (c) => move(c, c.req.param("step"), -1)),
  post(`${STEP}/down`, UPDATE, (c) => move(c, c.req.param("step"), 1)),
  post(
    `${STEP}/delete`,
    UPDATE,
    (c) => {
      const at = c.req.param("step");
      return changeSteps(c, at, (steps) => removeStep(steps, at));
    },
    { saved: "The automation is saved. People who are inside finish the version that they entered." },
  ),
  page(RUN, `GET ${RUN_CALL}`, async (c) => {
    const { automation_id, run_id } = c.req.param();
    const caller = c.get("caller");
    const [{ automation, choices }, run] = await Promise.all([readAll(c), readRun(caller, automation_id, run_id)]);
    return respondPage(c, <RunPage automation={automation} names={namesOf(choices)} {...run} />);
  }),
  button(`${RUN}/delete`, `DELETE ${RUN_CALL}`, { run: takeOut }),
];

/** Returns the automation of the path. Throws 404. */
export const readAutomation = async (c: AppContext): Promise<AutomationOut> =>
  toAutomation(await getAutomation(c.get("caller"), c.req.param("automation_id") ?? ""));

/** Returns the automation of the path, and what its steps can name. Throws 404. */
export async function readAll(c: AppContext) {
  const [automation, choices] = await Promise.all([readAutomation(c), readChoices(c.get("caller"))]);
  return { automation, choices };
}

const move = (c: AppContext, at: string, by: -1 | 1) =>
  changeSteps(c, siblingOf(at, by), (steps) => moveStep(steps, at, by));

/** Changes the steps of the automation of the path, which must be those that the page showed, and leads back to its page, to the step `to`. */
async function changeSteps(c: AppContext, to: string, change: (steps: Step[]) => Step[] | null): Promise<Response> {
  const version = (await readForm(c)).get("version") ?? "";
  await editSteps(c, version, change);
  return c.redirect(savedAt(c, to), 303);
}

const savedAt = (c: AppContext, step: string) =>
  `/app/automations/${c.req.param("automation_id")}?done=saved#${stepId(step)}`;

/** Changes steps in one transaction with the check that they are those of the version: a path names another step once others were moved. */
const editSteps = (c: AppContext, version: string, change: (steps: Step[]) => Step[] | null) =>
  editAutomation(c.get("caller"), c.req.param("automation_id") ?? "", ({ steps }) => {
    requireVersion(version, shownSteps(steps), {});
    const changed = change(steps);
    if (changed === null) throw conflict("The steps were changed meanwhile");
    return parseFields(AutomationPatch, { steps: changed });
  });

/** Saves the step of a form into the steps, which must be those that the form began from, or shows the form with its rows changed. */
async function saveStep(c: AppContext, place: Omit<Panel, "form">): Promise<Response> {
  const fields = await readForm(c, MAX_FORM_BYTES);
  const { kind = "", version = "", ...rest } = Object.fromEntries(fields);
  const values = Object.fromEntries(Object.entries(rest).filter(([name]) => !OF_NO_STEP.test(name)));
  const field = CONDITIONS_OF[kind];
  const { draft, isChanged } = field ? readConditions(fields, field) : { draft: emptyDraft(), isChanged: false };
  const content = readContent(fields);
  const show = () => showStep(c, { kind, values, draft, place });
  if (isChanged || changeOf(content.blocks, fields)) return show();
  return attempt(c, show, async () => {
    const conditions = field && parseDraft(draft, field);
    if (field === "when" && conditions === undefined) throw invalidField(field, "Add a condition");
    const step = toStepFields(kind, values, { conditions, content }) as unknown as Step;
    const change = place.isNew ? insertStep : replaceStep;
    await refusedAt(
      () => atBlocks(content.blocks, () => editSteps(c, version, (steps) => change(steps, place.at, step))),
      ([, name]) => (/^b\./.test(String(name)) ? String(name) : stepId("form")),
    );
    return savedAt(c, place.at);
  });
}

interface ShownStep extends Pick<StepPageProps, "kind" | "values" | "draft" | "place"> {
  /** Read already. */
  read?: Awaited<ReturnType<typeof readAll>>;
}

async function showStep(c: AppContext, { read, ...shown }: ShownStep) {
  const { automation, choices } = read ?? (await readAll(c));
  const { at, isNew } = shown.place;
  const action = `/app/automations/${automation.id}/steps/${isNew ? `new?at=${at}` : at}`;
  const step = isNew ? null : stepAt(automation.steps as unknown as Step[], at);
  const stored = step?.kind === "send_email" ? contentOf(step) : null;
  const preview = new URLSearchParams(new URL(c.req.url).search);
  const all = { automation, choices, action, stored, preview, ...(await editedContent(c, stored)) };
  return respondPage(c, <StepPage {...all} {...shown} />, { frames: true });
}
