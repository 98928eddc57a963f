import type { Context } from "hono";
import { Hono } from "hono";
import {
  type AutomationOut,
  AutomationPatch,
  type Definition,
  getAutomation,
  getRun,
  type Step,
  takeOut,
  toAutomation,
  updateAutomation,
} from "../../../audience/automations/index.ts";
import type { AppEnv } from "../../../http/env.ts";
import { readForm } from "../../../http/fields.ts";
import { respondPage } from "../../../http/page.tsx";
import { parseFields, type Refusal, submitForm } from "../../../http/page-form.ts";
import { pageFor } from "../../../http/page-right.ts";
import { conflict, notFound } from "../../../lib/errors.ts";
import { requireVersion, versionOf } from "../../../lib/form-version.ts";
import { readChoices } from "./choices.ts";
import { insertStep, moveStep, removeStep, replaceStep, stepAt } from "./edit-steps.ts";
import { KindPage, RunPage, StepPage } from "./pages.tsx";
import { KIND_NAMES, type StepValues, shownSteps, toStepFields, valuesOfStep } from "./step-fields.ts";

const UPDATE = "PATCH /v1/automations/:automation_id";
const RUN = "GET /v1/automations/:automation_id/runs/:run_id";
const TAKE_OUT = "DELETE /v1/automations/:automation_id/runs/:run_id";

export const stepPages = new Hono<AppEnv>()
  .get("/app/automations/:automation_id/steps/new", ...pageFor(UPDATE), async (c) => {
    const at = c.req.query("at") ?? "";
    const kind = c.req.query("kind") ?? "";
    if (Object.hasOwn(KIND_NAMES, kind)) return showStep(c, { kind, values: {}, action: `new?at=${at}` });
    const caller = c.get("caller");
    return respondPage(c, <KindPage caller={caller} automation={await readAutomation(c)} at={at} />);
  })
  .post("/app/automations/:automation_id/steps/new", ...pageFor(UPDATE), (c) =>
    saveStep(c, `new?at=${c.req.query("at") ?? ""}`, (steps, step) => insertStep(steps, c.req.query("at") ?? "", step)),
  )
  .get("/app/automations/:automation_id/steps/:step", ...pageFor(UPDATE), async (c) => {
    const path = c.req.param("step");
    const read = await readAll(c);
    const step = stepAt(read.automation.steps as unknown as Step[], path);
    if (!step) throw notFound("Step");
    return showStep(c, { kind: step.kind, values: valuesOfStep(step), action: path, read });
  })
  .post("/app/automations/:automation_id/steps/:step", ...pageFor(UPDATE), (c) => {
    const path = c.req.param("step");
    return saveStep(c, path, (steps, step) => replaceStep(steps, path, step));
  })
  .post("/app/automations/:automation_id/steps/:step/up", ...pageFor(UPDATE), (c) =>
    changeSteps(c, (steps) => moveStep(steps, c.req.param("step"), -1)),
  )
  .post("/app/automations/:automation_id/steps/:step/down", ...pageFor(UPDATE), (c) =>
    changeSteps(c, (steps) => moveStep(steps, c.req.param("step"), 1)),
  )
  .post("/app/automations/:automation_id/steps/:step/delete", ...pageFor(UPDATE), (c) =>
    changeSteps(c, (steps) => removeStep(steps, c.req.param("step"))),
  )
  .get("/app/automations/:automation_id/runs/:run_id", ...pageFor(RUN), async (c) => {
    const caller = c.get("caller");
    const { automation_id, run_id } = c.req.param();
    const [automation, run] = await Promise.all([readAutomation(c), getRun(caller, automation_id, run_id)]);
    return respondPage(c, <RunPage {...{ caller, automation, run }} />);
  })
  .post("/app/automations/:automation_id/runs/:run_id/delete", ...pageFor(TAKE_OUT), async (c) => {
    const { automation_id, run_id } = c.req.param();
    await takeOut(c.get("caller"), automation_id, run_id);
    return c.redirect(`/app/automations/${automation_id}/runs/${run_id}`, 303);
  });

/** Returns the automation of the path. Throws 404. */
export const readAutomation = async (c: Context<AppEnv>): Promise<AutomationOut> =>
  toAutomation(await getAutomation(c.get("caller"), c.req.param("automation_id") ?? ""));

async function readAll(c: Context<AppEnv>) {
  const [automation, choices] = await Promise.all([readAutomation(c), readChoices(c.get("caller"))]);
  return { automation, choices };
}

/** Changes the steps of the automation of the path, as they are now, and leads back to its page. */
async function changeSteps(c: Context<AppEnv>, change: (steps: Step[]) => Step[] | null): Promise<Response> {
  const automation = await readAutomation(c);
  // A path names another step once others were moved.
  requireVersion((await readForm(c)).get("version") ?? "", shownSteps(automation.steps), {});
  const steps = change(automation.steps as unknown as Definition["steps"]);
  if (steps === null) throw conflict("The steps were changed meanwhile");
  await updateAutomation(c.get("caller"), automation.id, parseFields(AutomationPatch, { steps }));
  return c.redirect(`/app/automations/${automation.id}?done=saved`, 303);
}

/** Saves the step of a form into the steps, which must be those that the form began from. */
async function saveStep(
  c: Context<AppEnv>,
  action: string,
  change: (steps: Step[], step: Step) => Step[] | null,
): Promise<Response> {
  const fields = await readForm(c);
  const { kind = "", version = "", ...values } = Object.fromEntries(fields);
  return submitForm(
    c,
    async () => {
      const { id, steps } = await readAutomation(c);
      requireVersion(version, shownSteps(steps), {});
      const changed = change(steps as unknown as Step[], toStepFields(kind, values) as unknown as Step);
      if (changed === null) throw conflict("The steps were changed meanwhile");
      await updateAutomation(c.get("caller"), id, parseFields(AutomationPatch, { steps: changed }));
      return `/app/automations/${id}?done=saved`;
    },
    (refusal) => showStep(c, { kind, values, action, version, refusal }),
  );
}

interface ShownStep {
  kind: string;
  values: StepValues;
  /** The rest of the path that the form is sent to. */
  action: string;
  version?: string;
  refusal?: Refusal;
  /** Read already. */
  read?: Awaited<ReturnType<typeof readAll>>;
}

async function showStep(c: Context<AppEnv>, { kind, values, action, version, refusal, read }: ShownStep) {
  const caller = c.get("caller");
  const { automation, choices } = read ?? (await readAll(c));
  const page = (
    <StepPage
      {...{ caller, automation, kind, values, choices, refusal }}
      action={`/app/automations/${automation.id}/steps/${action}`}
      version={version ?? versionOf(shownSteps(automation.steps))}
    />
  );
  return respondPage(c, page, { status: refusal?.status ?? 200 });
}
