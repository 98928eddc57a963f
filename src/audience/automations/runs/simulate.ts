import { type Condition, evaluate, newComparisonBudget, type Person } from "../../conditions/index.ts";
import { advance, type Entered, type Move, type Run } from "../advance.ts";
import { compile, type Node } from "../compile.ts";
import type { Definition } from "../definition.ts";

/** An event of a simulation. `at` in milliseconds since 1970. */
interface SimulatedEvent {
  name: string;
  at: number;
  data: Readonly<Record<string, unknown>>;
}

/** The facts with which a run is simulated. */
export interface Simulation {
  definition: Definition;
  person: Person;
  segments: ReadonlyMap<string, Condition>;
  /** Zone of the workspace. */
  zone: string;
  /** UUID by which splits are decided. */
  runId: string;
  start: number;
  data: Readonly<Record<string, unknown>>;
  events: readonly SimulatedEvent[];
}

/** Emails that a simulated run would send. */
interface SimulatedEmail {
  at: number;
  step: string;
  subject: string | null;
  day: string;
}

/** Looks at a run: each step is passed once, and each wait is looked at when it ends and when one of 50 events comes. */
const MAX_LOOKS = 500;

/** Returns what a run would do with given events, and when it ends, by the rules of runs. Effects change no fact. Pure. */
export function simulate(simulation: Simulation): { history: Entered[]; emails: SimulatedEmail[]; endsAt: number } {
  const { definition, start, data, runId } = simulation;
  const nodes = compile(definition);
  const events = simulation.events.toSorted((a, b) => a.at - b.at);
  const emails: SimulatedEmail[] = [];
  const history: Entered[] = [{ at: start, step: null, text: `Entered by ${definition.trigger.event}.` }];
  let run: Run = { id: runId, node: nodes.length > 0 ? 0 : null, visit: 1, wait: null, data };
  // An event at the moment at which a wait begins has come before it, but for those at the start.
  let [now, waitsAfter] = [start, start - 1];
  for (let look = 0; look < MAX_LOOKS; look++) {
    const found = findEvent(simulation, events, { run, nodes, now, waitsAfter });
    const move = advance(run, nodes, factsOf(simulation, events, { now, found, emails }));
    history.push(...withEffect(move));
    if (move.effect?.step.kind === "send_email") emails.push(toEmail(move.effect));
    if (move.run.visit !== run.visit || run.wait === null) waitsAfter = now;
    run = move.run;
    if (move.dueAt === null) break;
    const { wait } = run;
    const next = events.find(({ at, name }) => at > now && name === wait?.event)?.at ?? Number.POSITIVE_INFINITY;
    now = Math.max(now, Math.min(move.dueAt, next));
  }
  return { history, emails, endsAt: now };
}

function factsOf(
  { person, segments, zone, start, definition: { entry } }: Simulation,
  events: readonly SimulatedEvent[],
  { now, found, emails }: { now: number; found: SimulatedEvent | null; emails: readonly SimulatedEmail[] },
) {
  const exit = events.find(({ name, at }) => at >= start && at <= now && entry.exit_events?.includes(name));
  return {
    now,
    person,
    segments,
    budget: newComparisonBudget(),
    zone,
    entry,
    exitEvent: exit?.name ?? null,
    found: found && { id: "", data: found.data },
    emailsOn: (day: string) => emails.filter((email) => email.day === day).length,
  };
}

function findEvent(
  { person, segments }: Simulation,
  events: readonly SimulatedEvent[],
  { run, nodes, now, waitsAfter }: { run: Run; nodes: readonly Node[]; now: number; waitsAfter: number },
): SimulatedEvent | null {
  const node = run.node === null ? undefined : nodes[run.node];
  const { wait } = run;
  if (node?.kind !== "wait_for_event" || wait === null) return null;
  const { filter } = node;
  const came = events.filter(
    ({ name, at }) => name === node.event && at > waitsAfter && at <= Math.min(now, wait.until),
  );
  return (
    came.find(
      ({ data }) => filter === null || evaluate(filter, person, { now, segments, event: data, eventBefore: run.data }),
    ) ?? null
  );
}

const toEmail = ({ at, path, step, day }: NonNullable<Move["effect"]>): SimulatedEmail => ({
  at,
  step: path,
  day,
  subject: step.kind === "send_email" ? (step.subject ?? null) : null,
});

const WOULD: Readonly<Record<string, string>> = {
  send_email: "Would send an email.",
  set_field: "Would set a field.",
  add_to_list: "Would add the person to a list.",
  remove_from_list: "Would remove the person from a list.",
  change_topic: "Would change a topic.",
  webhook: "Would call a webhook.",
  notify: "Would notify the team.",
};

function withEffect({ effect, history }: Move): Entered[] {
  if (effect === null) return history;
  return history.toSpliced(effect.line, 0, { at: effect.at, step: effect.path, text: WOULD[effect.step.kind] ?? "" });
}
