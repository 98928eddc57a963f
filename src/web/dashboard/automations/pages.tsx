import { type AutomationOut, type RunOut, stepNumber } from "../../../audience/automations/index.ts";
import {
  AppLayout,
  Facts,
  Form,
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
}

/** The page that adds or changes one step. */
export const StepPage = ({ automation, action, version, ...step }: StepPageProps) => (
  <AppLayout title={KIND_NAMES[step.kind as keyof typeof KIND_NAMES] ?? "Step"}>
    <p class="soft">
      A step of <a href={`/app/automations/${automation.id}`}>{automation.name}</a>.
    </p>
    <Form class="form" action={action} id={stepId("form")}>
      <DefaultButton />
      <VersionField version={version} />
      <input type="hidden" name="kind" value={step.kind} />
      <StepFields {...step} />
      <button type="submit">Save step</button>
    </Form>
  </AppLayout>
);

/** The page that asks which kind of step is added at a place. */
export const KindPage = ({ automation, at }: { automation: AutomationOut; at: string }) => (
  <AppLayout title="Add a step">
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
  </AppLayout>
);

/** One run: where it is, and what it did and why. */
export function RunPage({ automation, run }: { automation: AutomationOut; run: RunOut }) {
  const path = `/app/automations/${automation.id}`;
  const mayTakeOut = mayManage() && run.status === "active";
  return (
    <AppLayout
      title={run.email}
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
    </AppLayout>
  );
}
