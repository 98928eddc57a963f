import {
  type AutomationOut,
  type Definition,
  type Entry,
  type FlowFigures,
  type RunItemOut,
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
} from "../../../http/ui/index.ts";
import { describeCondition, type Names } from "../conditions/index.ts";
import { CardFigures } from "./card-figures.tsx";
import { Flow } from "./flow.tsx";
import { mayManage } from "./list.tsx";

export interface DetailProps {
  automation: AutomationOut;
  /** Names of what steps name, by id. */
  names: Names;
  /** Null: they were not read again. */
  figures: FlowFigures | null;
  runs: readonly RunItemOut[];
  /** Of the person whose runs are shown; empty: of all. */
  address: string;
}

/** One automation: its status, its steps with their figures, and who is inside. */
export function AutomationPage(props: DetailProps) {
  const { automation, names, figures, runs, address } = props;
  const path = `/app/automations/${automation.id}`;
  const manages = mayManage() && automation.status !== "archived";
  const definition = automation as unknown as Definition;
  const { entry } = definition;
  const { step_counters: came } = automation;
  const { active: inside, entered, completed, exited, removed } = automation.counters;
  return (
    <AppLayout title={automation.name} actions={mayManage() ? <Actions path={path} automation={automation} /> : null}>
      {automation.pause_reason === null ? null : <Notice kind="warn">{automation.pause_reason}</Notice>}
      <Live id="automation-counters">
        <Facts
          of={{
            Status: <Status word={automation.status} />,
            "A person enters": {
              once: "Once",
              every: "At every event",
              once_per_period: `Once in ${entry.period_days} days`,
            }[entry.mode],
            "A person leaves": exitsOf(entry, names),
            "Quiet hours": entry.quiet_hours ? `${entry.quiet_hours.from} to ${entry.quiet_hours.to}` : null,
            "Emails a day":
              entry.emails_per_day === undefined ? null : `At most ${entry.emails_per_day} from all automations`,
            People: Object.entries({ inside, entered, completed, left: exited + removed })
              .map(([name, count]) => `${count.toLocaleString("en")} ${name}`)
              .join(" · "),
          }}
        />
      </Live>
      <h2>Steps</h2>
      {!figures?.inOthers ? null : (
        <p class="soft">
          {figures.inOthers.toLocaleString("en")} people inside finish an earlier version, and are not counted at the
          steps.
        </p>
      )}
      <Flow
        definition={definition}
        names={names}
        path={manages ? path : undefined}
        isOpen={manages}
        note={(at) => {
          const of = figures?.steps.get(at);
          return of && <CardFigures of={of} isCapped={figures?.isCapped === true} came={came[at] ?? 0} />;
        }}
        isLive={figures !== null}
      />
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

const Actions = ({ path, automation: { status } }: { path: string; automation: AutomationOut }) => (
  <>
    {statusAfter(status, "activate") ? <PostButton to={`${path}/activate`} label="Activate" /> : null}
    {statusAfter(status, "pause") ? <PostButton to={`${path}/pause`} label="Pause" kind="quiet" /> : null}
    {statusAfter(status, "edit") ? <ButtonLink to={`${path}/settings`} label="Settings" kind="quiet" /> : null}
    {statusAfter(status, "archive") ? <ButtonLink to={`${path}/archive`} label="Archive" kind="danger" /> : null}
  </>
);

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
