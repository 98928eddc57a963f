import type { Child } from "hono/jsx";
import type { BroadcastOut } from "../../../audience/broadcasts/index.ts";
import { AppLayout, ButtonLink, Icon, Submit } from "../../../http/ui/index.ts";
import { pathOfStep, STEPS, type Step } from "./steps.ts";

/** Of the page of a step. */
export interface StepProps<Shown = BroadcastOut> {
  broadcast: Shown;
  done: readonly Step[];
}

/** Without a broadcast it is the page of a new one, whose further steps cannot be opened yet. */
interface StepPageProps extends StepProps<BroadcastOut | null> {
  step: Step;
  /** Beside the title. */
  actions?: Child;
  children?: Child;
}

/** The page of one step of writing a broadcast, below the bar with all steps. */
export const StepPage = ({ broadcast, step, done, actions, children }: StepPageProps) => (
  <AppLayout
    title={broadcast?.name ?? "New broadcast"}
    actions={
      broadcast === null ? null : (
        <>
          {actions}
          <ButtonLink to={`/app/broadcasts/${broadcast.id}/delete`} label="Delete" kind="danger" />
        </>
      )
    }
  >
    <StepBar broadcast={broadcast} step={step} done={done} />
    {children}
  </AppLayout>
);

const StepBar = ({ broadcast, step: current, done }: StepPageProps) => (
  <nav class="stepbar" aria-label="Steps">
    <ol>
      {STEPS.map(({ step, name }) => {
        const isDone = done.includes(step);
        const at = step === current ? ("step" as const) : undefined;
        const label = (
          <>
            <span class="point">{isDone && step !== current ? <Icon name="check" /> : null}</span>
            {name}
            {isDone ? <span class="hidden"> (done)</span> : null}
          </>
        );
        return (
          <li>
            {broadcast === null ? (
              <span aria-current={at}>{label}</span>
            ) : (
              <a href={pathOfStep(broadcast.id, step)} aria-current={at}>
                {label}
              </a>
            )}
          </li>
        );
      })}
    </ol>
  </nav>
);

/** The buttons below the form of a step, which both save it. Enter presses the first one of a form, which is in `ContinueByEnter`. */
export const StepButtons = ({ hasBack = true, children }: { hasBack?: boolean; children?: Child }) => (
  <div class="actions ends">
    {hasBack ? <Submit label="Back" kind="quiet" action="back" isUnchecked /> : null}
    {children}
    <Submit label="Continue" action="continue" />
  </div>
);

export const ContinueByEnter = () => <Submit label="Continue" action="continue" hidden />;
