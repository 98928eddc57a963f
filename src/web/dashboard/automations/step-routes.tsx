import {
  type AutomationOut,
  AutomationPatch,
  automationLimits,
  editAutomation,
  getAutomation,
  getRun,
  type Step,
  takeOut,
  toAutomation,
} from "../../../audience/automations/index.ts";
import type { AppContext } from "../../../http/env.ts";
import { respondPage } from "../../../http/page.tsx";
import { button, page, post } from "../../../http/page-actions.tsx";
import { attempt, parseFields, readForm, refusedAt } from "../../../http/page-routes.ts";
import { conflict, invalidField, notFound } from "../../../lib/errors.ts";
import { requireVersion, versionOf } from "../../../lib/form-version.ts";
import { type DraftGroup, emptyDraft, parseDraft, readConditions, toDraft } from "../conditions/index.ts";
import { readChoices } from "./choices.ts";
import { insertStep, moveStep, removeStep, replaceStep, stepAt } from "./edit-steps.ts";
import { KindPage, RunPage, StepPage } from "./pages.tsx";
import { stepId } from "./refused-at.ts";
import {
  CONDITIONS_OF,
  conditionsOfStep,
  KIND_NAMES,
  type StepValues,
  shownSteps,
  toStepFields,
  valuesOfStep,
} from "./step-fields.ts";

/** Greatest body of the form of a step, in bytes: percent-encoding triples what it has to. */
const MAX_FORM_BYTES = 3 * automationLimits.bytes;

const UPDATE = "PATCH /v1/automations/:automation_id";
const STEP = "/app/automations/:automation_id/steps/:step";
const RUN = "/app/automations/:automation_id/runs/:run_id";
const RUN_CALL = "/v1/automations/:automation_id/runs/:run_id";

export const stepRoutes = [
  page("/app/automations/:automation_id/steps/new", UPDATE, async (c) => {
    const at = c.req.query("at") ?? "";
    const kind = c.req.query("kind") ?? "";
    if (Object.hasOwn(KIND_NAMES, kind))
      return showStep(c, { kind, values: {}, draft: emptyDraft(), action: `new?at=${at}` });
    return respondPage(c, <KindPage automation={await readAutomation(c)} at={at} />);
  }),
  post("/app/automations/:automation_id/steps/new", UPDATE, (c) =>
    saveStep(c, `new?at=${c.req.query("at") ?? ""}`, (steps, step) => insertStep(steps, c.req.query("at") ?? "", step)),
  ),
  page(STEP, UPDATE, async (c) => {
    const path = c.req.param("step");
    const read = await readAll(c);
    const step = stepAt(read.automation.steps as unknown as Step[], path);
    if (!step) throw notFound("Step");
    const draft = toDraft(conditionsOfStep(step));
    return showStep(c, { kind: step.kind, values: valuesOfStep(step), draft, action: path, read });
  }),
  post(STEP, UPDATE, (c) => {
    const path = c.req.param("step");
    return saveStep(c, path, (steps, step) => replaceStep(steps, path, step));
  }),
  post(`${STEP}/up`, UPDATE, (c) => changeSteps(c, (steps) => moveStep(steps, c.req.param("step"), -1))),
  post(`${STEP}/down`, UPDATE, (c) => changeSteps(c, (steps) => moveStep(steps, c.req.param("step"), 1))),
  post(`${STEP}/delete`, UPDATE, (c) => changeSteps(c, (steps) => removeStep(steps, c.req.param("step"))), {
    saved: "The automation is saved. People who are inside finish the version that they entered.",
  }),
  page(RUN, `GET ${RUN_CALL}`, async (c) => {
    const { automation_id, run_id } = c.req.param();
    const [automation, run] = await Promise.all([readAutomation(c), getRun(c.get("caller"), automation_id, run_id)]);
    return respondPage(c, <RunPage automation={automation} run={run} />);
  }),
  button(`${RUN}/delete`, `DELETE ${RUN_CALL}`, { run: takeOut }),
];

/** Returns the automation of the path. Throws 404. */
export const readAutomation = async (c: AppContext): Promise<AutomationOut> =>
  toAutomation(await getAutomation(c.get("caller"), c.req.param("automation_id") ?? ""));

async function readAll(c: AppContext) {
  const [automation, choices] = await Promise.all([readAutomation(c), readChoices(c.get("caller"))]);
  return { automation, choices };
}

/** Changes the steps of the automation of the path, which must be those that the page showed, and leads back to its page. */
async function changeSteps(c: AppContext, change: (steps: Step[]) => Step[] | null): Promise<Response> {
  const id = c.req.param("automation_id") ?? "";
  const version = (await readForm(c)).get("version") ?? "";
  await editSteps(c, version, change);
  return c.redirect(`/app/automations/${id}?done=saved`, 303);
}

/** Changes steps in one transaction with the check that they are those of the version: a path names another step once others were moved. */
const editSteps = (c: AppContext, version: string, change: (steps: Step[]) => Step[] | null) =>
  editAutomation(c.get("caller"), c.req.param("automation_id") ?? "", ({ steps }) => {
    requireVersion(version, shownSteps(steps), {});
    const changed = change(steps);
    if (changed === null) throw conflict("The steps were changed meanwhile");
    return parseFields(AutomationPatch, { steps: changed });
  });

/** Saves the step of a form into the steps, which must be those that the form began from, or shows the form with its rows changed. */
async function saveStep(
  c: AppContext,
  action: string,
  change: (steps: Step[], step: Step) => Step[] | null,
): Promise<Response> {
  const fields = await readForm(c, MAX_FORM_BYTES);
  const { kind = "", version = "", action: _, ...rest } = Object.fromEntries(fields);
  const values = Object.fromEntries(Object.entries(rest).filter(([name]) => !name.includes(".")));
  const field = CONDITIONS_OF[kind];
  const { draft, isChanged } = field ? readConditions(fields, field) : { draft: emptyDraft(), isChanged: false };
  const show = () => showStep(c, { kind, values, draft, action });
  if (isChanged) return show();
  return attempt(c, show, async () => {
    const conditions = field && parseDraft(draft, field);
    if (field === "when" && conditions === undefined) throw invalidField(field, "Add a condition");
    const step = toStepFields(kind, values, conditions) as unknown as Step;
    await refusedAt(
      () => editSteps(c, version, (steps) => change(steps, step)),
      () => stepId("form"),
    );
    return `/app/automations/${c.req.param("automation_id")}?done=saved`;
  });
}

interface ShownStep {
  kind: string;
  values: StepValues;
  draft: DraftGroup;
  /** The rest of the path that the form is sent to. */
  action: string;
  /** Read already. */
  read?: Awaited<ReturnType<typeof readAll>>;
}

async function showStep(c: AppContext, { kind, values, draft, action, read }: ShownStep) {
  const { automation, choices } = read ?? (await readAll(c));
  const shown = (
    <StepPage
      automation={automation}
      kind={kind}
      values={values}
      draft={draft}
      choices={choices}
      action={`/app/automations/${automation.id}/steps/${action}`}
      version={versionOf(shownSteps(automation.steps))}
    />
  );
  return respondPage(c, shown);
}
