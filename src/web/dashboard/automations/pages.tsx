import type { CallerCtx } from "../../../access/caller.ts";
import { type AutomationOut, type RunOut, stepNumber } from "../../../audience/automations/index.ts";
import type { Refusal } from "../../../http/page-form.ts";
import {
  ErrorSummary,
  Facts,
  Form,
  Layout,
  List,
  PostButton,
  Select,
  Status,
  Time,
  VersionField,
} from "../../../http/ui/index.ts";
import { DefaultButton, type DraftGroup } from "../conditions/index.ts";
import type { Choices } from "./choices.ts";
import { mayManage } from "./list.tsx";
import { stepId } from "./refused-at.ts";
import { KIND_NAMES, type StepValues } from "./step-fields.ts";
import { StepFields } from "./step-form.tsx";

interface StepPageProps {
  caller: CallerCtx;
  automation: AutomationOut;
  /** Where the form is sent. */
  action: string;
  kind: string;
  values: StepValues;
  choices: Choices;
  /** Of the field that the kind has for conditions. */
  draft: DraftGroup;
  /** Version of the steps that the form began from. */
  version: string;
  refusal?: Refusal | undefined;
}

/** The page that adds or changes one step. */
export const StepPage = ({ caller, automation, action, version, refusal, ...step }: StepPageProps) => (
  <Layout title={KIND_NAMES[step.kind as keyof typeof KIND_NAMES] ?? "Step"} caller={caller} at="/app/automations">
    <p class="soft">
      A step of <a href={`/app/automations/${automation.id}`}>{automation.name}</a>.
    </p>
    <Form class="form" action={action} id={stepId("form")}>
      <DefaultButton />
      <ErrorSummary refusal={refusal} />
      <VersionField version={version} refusal={refusal} />
      <input type="hidden" name="kind" value={step.kind} />
      <StepFields {...step} errors={refusal?.errors} />
      <button type="submit">Save step</button>
    </Form>
  </Layout>
);

/** The page that asks which kind of step is added at a place. */
export const KindPage = ({ caller, automation, at }: { caller: CallerCtx; automation: AutomationOut; at: string }) => (
  <Layout title="Add a step" caller={caller} at="/app/automations">
    <p class="soft">
      To <a href={`/app/automations/${automation.id}`}>{automation.name}</a>.
    </p>
    <Form class="form" method="get" action={`/app/automations/${automation.id}/steps/new`} fields={{ at }}>
      <Select
        name="kind"
        label="Kind"
        value="send_email"
        options={Object.entries(KIND_NAMES).map(([value, label]) => ({ value, label }))}
      />
      <button type="submit">Continue</button>
    </Form>
  </Layout>
);

/** One run: where it is, and what it did and why. */
export function RunPage({ caller, automation, run }: { caller: CallerCtx; automation: AutomationOut; run: RunOut }) {
  const path = `/app/automations/${automation.id}`;
  const mayTakeOut = mayManage(caller) && run.status === "active";
  return (
    <Layout
      title={run.email}
      caller={caller}
      at="/app/automations"
      actions={mayTakeOut ? <PostButton to={`${path}/runs/${run.id}/delete`} label="Take out" kind="danger" /> : null}
    >
      <Facts
        of={{
          Automation: <a href={path}>{automation.name}</a>,
          Version: String(run.version),
          Status: <Status word={run.status} label={run.status === "active" ? "Inside" : undefined} />,
          Step: run.step === null ? "None" : stepNumber(run.step),
          Entered: <Time at={run.started_at} />,
        }}
      />
      <h2>History</h2>
      <List
        caption="History"
        columns={["Time", "Step", "What happened"]}
        rows={run.history.map(({ at, step, text }) => [<Time at={at} />, step === null ? "" : stepNumber(step), text])}
      />
    </Layout>
  );
}
