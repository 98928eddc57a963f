import type { Child } from "hono/jsx";
import { type Definition, type Step, stepNumber } from "../../../audience/automations/index.ts";
import { ButtonLink, Icon, type IconName, useViewer } from "../../../http/ui/index.ts";
import { describeCondition, type Names } from "../conditions/index.ts";
import { stepId } from "./refused-at.ts";
import { describeStep, KINDS } from "./step-fields.ts";

/** The place at which a step is changed, or a new one added, with its form. */
export interface Panel {
  at: string;
  isNew: boolean;
  form: Child;
}

export interface FlowProps {
  definition: Pick<Definition, "trigger" | "steps">;
  names: Names;
  /** Path of the page of the automation. With it each card leads to its panel. */
  path?: string | undefined;
  /** True where steps can be added between the cards. */
  isOpen?: boolean;
  /** Returns what a card says below its step; of the card of the trigger the path is empty. */
  note?: (at: string) => Child;
  /** True where the script keeps what the cards say up to date. A page without it leaves them as they are. */
  isLive?: boolean;
  /** Marks of the steps that the run of a person came to, by path. */
  marks?: ReadonlyMap<string, "passed" | "here">;
  panel?: Panel;
}

/** An automation as people draw it: nested lists of cards, with branches beside each other where there is room. */
export const Flow = (props: FlowProps) => (
  <ol class="flow" aria-label="Steps">
    <TriggerItem {...props} />
    <Items {...props} steps={props.definition.steps} prefix="" />
  </ol>
);

function TriggerItem({ definition: { trigger }, names, path, isOpen, note, marks }: FlowProps) {
  const error = useViewer().submitted?.refusal?.errors.get("trigger");
  const text = `${trigger.event}${trigger.filter ? `, if ${describeCondition(trigger.filter, names)}` : ""}`;
  return (
    <li id="trigger" class={marks?.get("")} tabindex={-1}>
      <Card icon="play" error={error} about={<>Begins a run {note?.("")}</>}>
        {path !== undefined && isOpen ? <a href={`${path}/settings`}>{text}</a> : text}
      </Card>
    </li>
  );
}

interface CardProps {
  icon: IconName;
  /** Stands below its line. */
  about: Child;
  /** Of what stands there, where the script replaces it. */
  id?: string | undefined;
  error?: string | undefined;
  children?: Child;
}

const Card = ({ icon, about, id, error, children }: CardProps) => (
  <div class="card">
    <Icon name={icon} />
    <p>{children}</p>
    <div class="soft" id={id} data-live={id && ""}>
      {about}
    </div>
    {error === undefined ? null : <p class="error">{error}</p>}
  </div>
);

interface ItemsProps extends FlowProps {
  steps: readonly Step[];
  prefix: string;
}

/** The items of a list of steps, with a place for a further one at its end. */
function Items(props: ItemsProps) {
  const { steps, prefix, path, isOpen } = props;
  const end = `${prefix}${steps.length}`;
  return (
    <>
      {steps.map((step, index) => {
        const at = `${prefix}${index}`;
        return (
          <>
            <NewItem {...props} at={at} />
            <StepItem {...props} step={step} at={at} />
          </>
        );
      })}
      <NewItem {...props} at={end} />
      {isOpen ? (
        <li>
          <Insert path={path} at={end} isEnd />
        </li>
      ) : steps.length === 0 ? (
        <li class="soft">No step.</li>
      ) : null}
    </>
  );
}

const NewItem = ({ panel, at }: ItemsProps & { at: string }) =>
  panel?.isNew && panel.at === at ? (
    <li id={stepId("new")} class="chosen" tabindex={-1}>
      <Card icon="plus" about="Not saved yet">
        New step
      </Card>
      {panel.form}
    </li>
  ) : null;

/** A plus between cards, which unfolds the kinds of steps to add there: at once in an automation without steps. */
function Insert({ path, at, isEnd = false }: { path: string | undefined; at: string; isEnd?: boolean }) {
  const label = isEnd ? `Add a step: ${stepNumber(at)}` : `Add a step before step ${stepNumber(at)}`;
  return (
    <details class="insert" open={isEnd && at === "0"}>
      <summary aria-label={label} title={label}>
        <Icon name="plus" />
      </summary>
      <div class="actions">
        {Object.entries(KINDS).map(([kind, [name, icon]]) => (
          <ButtonLink
            to={`${path}/steps/new?at=${at}&kind=${kind}#${stepId("new")}`}
            label={name}
            icon={icon}
            kind="quiet"
          />
        ))}
      </div>
    </details>
  );
}

function StepItem(props: ItemsProps & { step: Step; at: string }) {
  const { step, at, path, names, isOpen, note, isLive, marks, panel } = props;
  const id = stepId(at);
  const error = useViewer().submitted?.refusal?.errors.get(id);
  const isChosen = panel !== undefined && !panel.isNew && panel.at === at;
  const text = describeStep(step, names);
  return (
    <li id={id} class={isChosen ? "chosen" : marks?.get(at)} tabindex={-1}>
      {isOpen ? <Insert path={path} at={at} /> : null}
      <Card
        icon={KINDS[step.kind][1]}
        error={error}
        id={isLive ? `about-${at}` : undefined}
        about={
          <>
            {`Step ${stepNumber(at)}`} {note?.(at)}
          </>
        }
      >
        {path === undefined ? text : <a href={`${path}/steps/${at}#${id}`}>{text}</a>}
      </Card>
      {isChosen ? panel.form : null}
      {"then_steps" in step ? (
        <div class="branches">
          {(["then", "else"] as const).map((way) => (
            <div>
              <p>{describeBranch(step, way)}</p>
              <ol class="flow" aria-label={`${describeBranch(step, way)}, of step ${stepNumber(at)}`}>
                <Items {...props} steps={step[`${way}_steps`]} prefix={`${at}.${way}_steps.`} />
              </ol>
            </div>
          ))}
        </div>
      ) : null}
    </li>
  );
}

/** Returns when a run takes a branch of a step. */
function describeBranch(step: Step, way: "then" | "else"): string {
  const word = way === "then" ? "Then" : "Else";
  if (step.kind === "split") return `${word}, ${way === "then" ? step.percent : 100 - step.percent} %`;
  return way === "then" && step.kind === "wait_for_event" ? "Then, if it came" : word;
}
