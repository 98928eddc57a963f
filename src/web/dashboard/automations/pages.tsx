import {
  type AutomationOut,
  type Definition,
  type RunOut,
  type Step,
  type StepKind,
  stepNumber,
} from "../../../audience/automations/index.ts";
import { AppLayout, ButtonLink, Facts, Form, PostButton, Status, Time, VersionField } from "../../../http/ui/index.ts";
import { versionOf } from "../../../lib/form-version.ts";
import { withQuery } from "../../../lib/with-query.ts";
import { EditorChoice, type StoredContent } from "../blocks/index.ts";
import { DefaultButton, KnownNames } from "../conditions/index.ts";
import { namesOf } from "./choices.ts";
import { insertStep, siblingOf, stepAt } from "./edit-steps.ts";
import { EmailPreview } from "./email-preview.tsx";
import { Flow, type Panel } from "./flow.tsx";
import { mayManage } from "./list.tsx";
import { type PersonFlow, PersonPath, WithTimes } from "./person-path.tsx";
import { stepId } from "./refused-at.ts";
import { KINDS, shownSteps } from "./step-fields.ts";
import { StepFields, type StepFieldsProps } from "./step-form.tsx";

export interface StepPageProps extends StepFieldsProps {
  automation: AutomationOut;
  place: Omit<Panel, "form">;
  action: string;
  /** The content of a stored email; null: there is none. */
  stored: StoredContent | null;
  /** Fields of its preview. */
  preview: URLSearchParams;
}

/** The page that adds or changes one step: its form stands at its card, or beside the flow where there is room. */
export function StepPage(props: StepPageProps) {
  const { automation, place, choices, kind } = props;
  const { at, isNew } = place;
  const definition = automation as unknown as Definition;
  const [name] = KINDS[kind as StepKind] ?? ["Step"];
  const form = <StepPanel {...props} name={name} />;
  // Of two that change the steps at once, one may be refused at a place that is there no more.
  const isThere = (isNew ? insertStep(definition.steps, at, { kind: "end" }) : stepAt(definition.steps, at)) !== null;
  return (
    <AppLayout title={`${automation.name}: ${name}`}>
      {isThere ? null : form}
      <Flow
        definition={definition}
        names={namesOf(choices)}
        path={`/app/automations/${automation.id}`}
        panel={{ ...place, form }}
      />
    </AppLayout>
  );
}

function StepPanel({
  automation,
  place: { at, isNew },
  action,
  name,
  stored,
  preview,
  ...step
}: StepPageProps & { name: string }) {
  const path = `/app/automations/${automation.id}`;
  return (
    <section class="drawer" aria-label={name}>
      <h2>{isNew ? `New step: ${name}` : `Step ${stepNumber(at)}: ${name}`}</h2>
      {step.kind === "send_email" ? (
        <EditorChoice
          stored={stored}
          blocks={step.content.blocks}
          to={(editor) => `${withQuery(action, { kind: step.kind, editor })}#${stepId("form")}`}
        />
      ) : null}
      <Form class="form" action={action} id={stepId("form")} data-editor="" refills={false}>
        <DefaultButton />
        <VersionField version={versionOf(shownSteps(automation.steps))} />
        <input type="hidden" name="kind" value={step.kind} />
        <KnownNames of={step.choices.conditions.known} />
        <StepFields {...step} />
        <div class="actions">
          <button type="submit">Save step</button>
          <ButtonLink to={`${path}#${stepId(at)}`} label="Close" kind="quiet" />
        </div>
      </Form>
      {isNew ? null : <StepTools automation={automation} at={at} />}
      {stored === null ? null : <EmailPreview path={`${path}/steps/${at}`} at={at} query={preview} />}
    </section>
  );
}

function StepTools({ automation: { id, steps }, at }: { automation: AutomationOut; at: string }) {
  const has = (by: -1 | 1) => stepAt(steps as unknown as Step[], siblingOf(at, by)) !== null;
  const button = (verb: string, label: string, kind: "quiet" | "danger") => (
    <PostButton
      to={`/app/automations/${id}/steps/${at}/${verb}`}
      label={label}
      kind={kind}
      fields={{ version: versionOf(shownSteps(steps)) }}
    />
  );
  return (
    <div class="actions">
      {has(-1) ? button("up", "Move up", "quiet") : null}
      {has(1) ? button("down", "Move down", "quiet") : null}
      {button("delete", "Delete", "danger")}
    </div>
  );
}

/** One run: where it is in the flow of the version that the person entered and why, and what it did. */
export function RunPage({ automation, run, ...flow }: { automation: AutomationOut; run: RunOut } & PersonFlow) {
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
          Entered: <Time at={run.started_at} />,
        }}
      />
      <PersonPath
        {...flow}
        history={run.history}
        here={
          run.step === null
            ? undefined
            : { at: run.step, why: <Why run={run} isPaused={automation.status === "paused"} /> }
        }
        title="History"
      />
    </AppLayout>
  );
}

function Why({ run, isPaused }: { run: RunOut; isPaused: boolean }) {
  const { is_held, wait_until, wait_event, step, history } = run;
  if (is_held) return <>Held: the automation is paused, or a backup was restored.</>;
  // An email that is put off has a line that says why; it does not wait at its step.
  const last = history.findLast((line) => line.step === step);
  const event = wait_event === null ? "" : ` for ${wait_event}`;
  return (
    <>
      <WithTimes text={wait_until === null ? (last?.text ?? "Due now.") : `Waits${event} until ${wait_until}.`} />
      {isPaused ? " It stays here while the automation is paused." : null}
    </>
  );
}
