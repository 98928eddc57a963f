import type { CallerCtx } from "../../../access/caller.ts";
import type { AutomationOut, Definition, RunOut } from "../../../audience/automations/index.ts";
import type { Refusal } from "../../../http/page-form.ts";
import {
  ErrorSummary,
  Facts,
  Field,
  Layout,
  List,
  PostButton,
  Select,
  Status,
  TextArea,
  Time,
  VersionField,
} from "../../../http/ui/index.ts";
import type { Choices } from "./choices.ts";
import { mayManage } from "./list.tsx";
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
  /** Version of the steps that the form began from. */
  version: string;
  refusal?: Refusal | undefined;
}

/** The page that adds or changes one step. */
export const StepPage = ({ caller, automation, action, kind, values, choices, version, refusal }: StepPageProps) => (
  <Layout title={KIND_NAMES[kind as keyof typeof KIND_NAMES] ?? "Step"} caller={caller} at="/app/automations">
    <p class="soft">
      A step of <a href={`/app/automations/${automation.id}`}>{automation.name}</a>.
    </p>
    <form class="form" method="post" action={action}>
      <ErrorSummary refusal={refusal} />
      <VersionField version={version} refusal={refusal} />
      <input type="hidden" name="kind" value={kind} />
      <StepFields kind={kind} values={values} choices={choices} errors={refusal?.errors} />
      <button type="submit">Save step</button>
    </form>
  </Layout>
);

/** The page that asks which kind of step is added at a place. */
export const KindPage = ({ caller, automation, at }: { caller: CallerCtx; automation: AutomationOut; at: string }) => (
  <Layout title="Add a step" caller={caller} at="/app/automations">
    <p class="soft">
      To <a href={`/app/automations/${automation.id}`}>{automation.name}</a>.
    </p>
    <form class="form" method="get" action={`/app/automations/${automation.id}/steps/new`}>
      <input type="hidden" name="at" value={at} />
      <Select
        name="kind"
        label="Kind"
        value="send_email"
        options={Object.entries(KIND_NAMES).map(([value, label]) => ({ value, label }))}
      />
      <button type="submit">Continue</button>
    </form>
  </Layout>
);

/** The fields of the settings of an automation, as they were filled in. */
export interface SettingsForm {
  name: string;
  event: string;
  filter: string;
  entry: string;
  version: string;
}

interface SettingsProps {
  caller: CallerCtx;
  automation: AutomationOut;
  form: SettingsForm;
  refusal?: Refusal | undefined;
}

/** Returns the fields of the settings of an automation as its form shows them. */
export function settingsOf(automation: AutomationOut): Omit<SettingsForm, "version"> {
  const { trigger, entry } = automation as unknown as Definition;
  const filter = trigger.filter === undefined ? "" : JSON.stringify(trigger.filter, null, 2);
  return { name: automation.name, event: trigger.event, filter, entry: JSON.stringify(entry, null, 2) };
}

/** The page that changes name, trigger and entry. */
export const SettingsPage = ({ caller, automation, form, refusal }: SettingsProps) => (
  <Layout title="Settings of the automation" caller={caller} at="/app/automations">
    <form class="form" method="post" action={`/app/automations/${automation.id}/settings`}>
      <ErrorSummary refusal={refusal} />
      <VersionField version={form.version} refusal={refusal} />
      <Field name="name" label="Name" value={form.name} errors={refusal?.errors} maxlength={200} />
      <Field name="event" label="Begins with the event" value={form.event} errors={refusal?.errors} maxlength={64} />
      <TextArea
        name="filter"
        label="If the condition holds"
        hint="JSON, such as {&quot;event&quot;: &quot;list_id&quot;, &quot;is&quot;: &quot;equals&quot;, &quot;value&quot;: &quot;…&quot;}. Empty: for every event of this name."
        code
        required={false}
        errors={refusal?.errors}
        value={form.filter}
      />
      <TextArea
        name="entry"
        label="Rules of entry"
        hint="JSON: mode (once, every, once_per_period with period_days), exit_when, exit_events, quiet_hours, emails_per_day."
        code
        errors={refusal?.errors}
        value={form.entry}
      />
      <button type="submit">Save</button>
    </form>
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
          Step: run.step ?? "None",
          Entered: <Time at={run.started_at} />,
        }}
      />
      <h2>History</h2>
      <List
        caption="History"
        columns={["Time", "Step", "What happened"]}
        rows={run.history.map(({ at, step, text }) => [<Time at={at} />, step ?? "", text])}
      />
    </Layout>
  );
}
