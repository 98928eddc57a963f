import {
  type AutomationOut,
  type Definition,
  type Entry,
  type RunItemOut,
  type Step,
  statusAfter,
  stepNumber,
} from "../../../audience/automations/index.ts";
import {
  AppLayout,
  ButtonLink,
  Empty,
  Facts,
  FindForm,
  List,
  Live,
  Notice,
  PostButton,
  Status,
  Time,
  useViewer,
} from "../../../http/ui/index.ts";
import { versionOf } from "../../../lib/form-version.ts";
import { describeCondition, type Names } from "../conditions/index.ts";
import { mayManage } from "./list.tsx";
import { stepId } from "./refused-at.ts";
import { describeStep, shownSteps } from "./step-fields.ts";

export interface DetailProps {
  automation: AutomationOut;
  /** Names of what steps name, by id. */
  names: ReadonlyMap<string, string>;
  runs: readonly RunItemOut[];
  /** Of the person whose runs are shown; empty: of all. */
  address: string;
}

/** One automation: its status, its steps with their counters, and who is inside. */
export function AutomationPage(props: DetailProps) {
  const { automation, names, runs, address } = props;
  const path = `/app/automations/${automation.id}`;
  const manages = mayManage() && automation.status !== "archived";
  const { trigger, entry, steps } = automation as unknown as Definition;
  const { counters } = automation;
  const triggerError = useViewer().submitted?.refusal?.errors.get("trigger");
  return (
    <AppLayout title={automation.name} actions={mayManage() ? <Actions path={path} automation={automation} /> : null}>
      {automation.pause_reason === null ? null : <Notice kind="warn">{automation.pause_reason}</Notice>}
      <Live id="automation-counters">
        <Facts
          of={{
            Status: <Status word={automation.status} />,
            "Begins with": `${trigger.event}${trigger.filter ? `, if ${describeCondition(trigger.filter, names)}` : ""}`,
            "A person enters": {
              once: "Once",
              every: "With every event",
              once_per_period: `Once in ${entry.period_days} days`,
            }[entry.mode],
            "A person leaves": exitsOf(entry, names),
            "Quiet hours": entry.quiet_hours ? `${entry.quiet_hours.from} to ${entry.quiet_hours.to}` : null,
            "Emails a day":
              entry.emails_per_day === undefined ? null : `At most ${entry.emails_per_day} from all automations`,
            Inside: counters.active.toLocaleString("en"),
            Entered: counters.entered.toLocaleString("en"),
            Completed: counters.completed.toLocaleString("en"),
            Left: (counters.exited + counters.removed).toLocaleString("en"),
          }}
        />
      </Live>
      {triggerError === undefined ? null : (
        <p class="error" id="trigger" tabindex={-1}>
          {triggerError}. <a href={`${path}/settings`}>Change the settings</a>
        </p>
      )}
      <h2>Steps</h2>
      <Live id="automation-steps">
        <Steps
          steps={steps}
          path={path}
          names={names}
          manages={manages}
          prefix=""
          counts={automation.step_counters}
          version={versionOf(shownSteps(steps))}
        />
      </Live>
      <ButtonLink to={`${path}/dry-run`} label="Try it for one person" kind="quiet" />
      <h2>People</h2>
      <FindForm action={path} name="address" label="Find an address" value={address} maxlength={1_000} />
      <Live id="automation-runs">
        <Runs path={path} runs={runs} address={address} />
      </Live>
    </AppLayout>
  );
}

/** Returns when a person leaves before the end, or null. */
function exitsOf({ exit_when, exit_events = [] }: Entry, names: Names): string | null {
  const conditions = exit_when ? [`If ${describeCondition(exit_when, names)}`] : [];
  const all = [...conditions, ...exit_events.map((event) => `after ${event}`)];
  return all.length === 0 ? null : all.join(", or ");
}

function Actions({ path, automation: { status } }: { path: string; automation: AutomationOut }) {
  return (
    <>
      {statusAfter(status, "activate") ? <PostButton to={`${path}/activate`} label="Activate" /> : null}
      {statusAfter(status, "pause") ? <PostButton to={`${path}/pause`} label="Pause" kind="quiet" /> : null}
      {statusAfter(status, "edit") ? <ButtonLink to={`${path}/settings`} label="Settings" kind="quiet" /> : null}
      {statusAfter(status, "archive") ? <ButtonLink to={`${path}/archive`} label="Archive" kind="danger" /> : null}
    </>
  );
}

interface StepsProps {
  steps: readonly Step[];
  path: string;
  prefix: string;
  names: ReadonlyMap<string, string>;
  counts: Readonly<Record<string, number>>;
  manages: boolean;
  /** Of all steps: a path names another one once others were moved. */
  version: string;
}

/** A list of steps, with those of branches inside. */
function Steps(props: StepsProps) {
  const { steps, path, prefix, manages } = props;
  const end = `${prefix}${steps.length}`;
  return (
    <>
      {steps.length === 0 ? <p class="soft">No step.</p> : null}
      <ol class="flow">
        {steps.map((step, index) => (
          <StepItem
            {...props}
            step={step}
            at={`${prefix}${index}`}
            isFirst={index === 0}
            isLast={index === steps.length - 1}
          />
        ))}
      </ol>
      {manages ? (
        <ButtonLink
          to={`${path}/steps/new?at=${end}`}
          label="Add a step"
          icon="plus"
          kind="quiet"
          name={`Add a step: ${stepNumber(end)}`}
        />
      ) : null}
    </>
  );
}

interface StepItemProps extends StepsProps {
  step: Step;
  at: string;
  isFirst: boolean;
  isLast: boolean;
}

function StepItem(props: StepItemProps) {
  const { step, at, path, names, counts, manages } = props;
  const id = stepId(at);
  const error = useViewer().submitted?.refusal?.errors.get(id);
  const text = describeStep(step, names);
  return (
    <li id={id} tabindex={-1}>
      <div class="card">
        <p class="soft">
          Step {stepNumber(at)} <span>{(counts[at] ?? 0).toLocaleString("en")} came here</span>
        </p>
        {manages ? <StepTools {...props} /> : null}
        <p>{manages && step.kind !== "end" ? <a href={`${path}/steps/${at}`}>{text}</a> : text}</p>
        {error === undefined ? null : <p class="error">{error}</p>}
      </div>
      {"then_steps" in step
        ? (["then", "else"] as const).map((way) => (
            <div class="branch">
              <h3>
                {describeBranch(step, way)} <span class="soft">step {stepNumber(at)}</span>
              </h3>
              <Steps {...props} steps={step[`${way}_steps`]} prefix={`${at}.${way}_steps.`} />
            </div>
          ))
        : null}
    </li>
  );
}

/** Returns when a run takes a branch of a step. */
function describeBranch(step: Step, way: "then" | "else"): string {
  const word = way === "then" ? "Then" : "Else";
  if (step.kind === "split") return `${word}, ${way === "then" ? step.percent : 100 - step.percent} %`;
  return way === "then" && step.kind === "wait_for_event" ? "Then, if it came" : word;
}

/** Icons at the right edge of a step, which move and delete it and add one before it. */
function StepTools({ at, path, version, isFirst, isLast }: StepItemProps) {
  const step = `step ${stepNumber(at)}`;
  const button = (action: string, label: string, icon: "up" | "down" | "trash") => (
    <PostButton
      to={`${path}/steps/${at}/${action}`}
      label={label}
      icon={icon}
      kind="bare"
      fields={{ version }}
      name={`${label}: ${step}`}
    />
  );
  return (
    <div class="actions">
      <ButtonLink
        to={`${path}/steps/new?at=${at}`}
        label="Add a step before this"
        icon="plus"
        kind="bare"
        name={`Add before ${step}`}
      />
      {isFirst ? null : button("up", "Move up", "up")}
      {isLast ? null : button("down", "Move down", "down")}
      {button("delete", "Delete", "trash")}
    </div>
  );
}

const Runs = ({ path, runs, address }: { path: string; runs: readonly RunItemOut[]; address: string }) => (
  <List
    caption="Runs"
    columns={["Person", "Status", "Step", "Waits until", "Entered"]}
    empty={<Empty drawing="people">{address === "" ? "Nobody has entered yet." : "No run of this address."}</Empty>}
    rows={runs.map(({ id, email, status, step, wait_until, started_at }) => [
      <a href={`${path}/runs/${id}`}>{email}</a>,
      <Status word={status} label={status === "active" ? "Inside" : undefined} />,
      step === null ? "" : stepNumber(step),
      wait_until === null ? "" : <Time at={wait_until} />,
      <Time at={started_at} />,
    ])}
  />
);
