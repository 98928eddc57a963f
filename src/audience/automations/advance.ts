import { hash53 } from "../../lib/hash53.ts";
import { iso, MINUTE_MS } from "../../lib/time.ts";
import { type ComparisonBudget, type Condition, evaluate, type Person } from "../conditions/index.ts";
import type { EffectStep, Next, Node } from "./compile.ts";
import type { Entry } from "./definition.ts";
import type { RunStatus } from "./rules.ts";
import { dayIn, endOfQuietHours, nextDay, nextLocalTime, zoneOf } from "./times.ts";

/** A wait that has begun. `until` in milliseconds since 1970: at a step that changes something, when that was begun. */
interface Wait {
  until: number;
  /** Name of the event that ends it sooner; null: none. */
  event: string | null;
}

/** A run as its row has it. Times in milliseconds since 1970. */
export interface Run {
  /** UUID. */
  id: string;
  node: Next;
  /** Counts the steps that the run has come to: what a step does is named by it. */
  visit: number;
  wait: Wait | null;
  /** Data of the event that began the run, or of the one that it waited for last. */
  data: Readonly<Record<string, unknown>>;
}

/** An event that ends a wait. */
export interface Found {
  data: Readonly<Record<string, unknown>>;
}

/** The facts with which a run moves on. */
export interface Facts {
  /** Milliseconds since 1970. */
  now: number;
  /** Null: no contact is left. */
  person: Person | null;
  segments: ReadonlyMap<string, Condition>;
  /** For all conditions of the move. */
  budget: ComparisonBudget;
  /** Zone of the workspace. */
  zone: string;
  entry: Entry;
  /** The event that the run waited for, if it came before the wait ended. */
  found: Found | null;
  /** An event of `exit_events` that came since the run began. */
  exitEvent: string | null;
  /** Emails of automations to the person on a day of their zone. */
  emailsOn: (day: string) => number;
}

/** A line of the history of a run. Steps are named by their path. */
export interface Entered {
  at: number;
  step: string | null;
  /** A plain sentence. */
  text: string;
}

/** The effect of a step, done once however often it is tried: the run, the visit and the path name it. */
export interface Effect {
  visit: number;
  step: EffectStep;
  path: string;
  /** Day of the person's zone on which an email counts. */
  day: string;
  data: Readonly<Record<string, unknown>>;
  /** When it was decided, in milliseconds since 1970. */
  at: number;
  /** Lines of the history of its move that come before its own. */
  line: number;
}

/** The state of a run after a move. */
export interface Move {
  run: Run;
  status: RunStatus;
  /** When it is looked at again; null: never. */
  dueAt: number | null;
  effect: Effect | null;
  history: Entered[];
  /** Paths of the steps that the run came to. */
  entered: string[];
}

/**
 * Moves a run on: to the next wait, to the end, or behind the first step that changes something. Decides by the facts alone, so the
 * same run and facts give the same move (docs/contract/automations.md#runs). A graph without loops visits each step once. Pure.
 */
export function advance(run: Run, nodes: readonly Node[], facts: Facts): Move {
  const move: Move = { run, status: "active", dueAt: facts.now, effect: null, history: [], entered: [] };
  const reason = isBegun(run, nodes) ? null : reasonToLeave(facts);
  if (reason !== null) return ended(note(move, facts, nodeOf(run, nodes), reason), "exited");
  let current = move;
  for (;;) {
    const node = nodeOf(current.run, nodes);
    if (node === null) return ended(current, "completed");
    const next = current.run.wait === null ? come(current, node, facts) : goOn(current, current.run.wait, node, facts);
    if (next.dueAt === null || next.dueAt > facts.now || next.effect !== null || isBegun(next.run, nodes))
      return settle(next, nodes, facts);
    current = next;
  }
}

function reasonToLeave(facts: Facts): string | null {
  const { person, exitEvent, entry } = facts;
  if (person === null) return "Left: no contact of the person is left.";
  if (exitEvent !== null) return `Left: ${exitEvent} came.`;
  return entry.exit_when && evaluate(entry.exit_when, person, facts, facts.budget)
    ? "Left: the exit condition holds."
    : null;
}

/** Steps whose effect is in the main database, beside the transaction that moves the run. */
export const isInMain = ({ kind }: EffectStep): boolean => kind === "change_topic" || kind === "notify";

/**
 * Returns whether the run stands at a step of these, which it has begun. The move that begins it does no more, so that the step is
 * repeated as it was, whatever has changed since (docs/decisions.md).
 */
const isBegun = (run: Run, nodes: readonly Node[]): boolean =>
  run.wait !== null && nodeOf(run, nodes)?.kind === "effect";

const nodeOf = ({ node }: Run, nodes: readonly Node[]): Node | null => (node === null ? null : (nodes[node] ?? null));

function note(move: Move, { now }: Facts, node: Node | null, text: string): Move {
  return { ...move, history: [...move.history, { at: now, step: node?.path ?? null, text }] };
}

const ended = (move: Move, status: RunStatus): Move => {
  return { ...move, run: { ...move.run, node: null, wait: null }, status, dueAt: null };
};

/** Leaves a step for another, and counts the one that it comes to. */
function go(move: Move, next: Next): Move {
  return { ...move, run: { ...move.run, node: next, visit: move.run.visit + 1, wait: null } };
}

/** Comes to a step: passes it, or begins to wait there. */
function come(move: Move, node: Node, facts: Facts): Move {
  const { run } = move;
  const here: Move = { ...move, entered: [...move.entered, node.path] };
  switch (node.kind) {
    case "wait":
      return begin(here, node, facts, { until: facts.now + node.minutes * MINUTE_MS, event: null });
    case "wait_until": {
      const zone = zoneOf(facts.person, facts.zone);
      const until = nextLocalTime(facts.now, node.time, node.weekdays, zone);
      return begin(here, node, facts, { until, event: null }, ` (${zone})`);
    }
    case "wait_for_event":
      return begin(here, node, facts, { until: facts.now + node.minutes * MINUTE_MS, event: node.event });
    case "branch": {
      const holds = conditionHolds(node.when, run, facts);
      return go(
        note(here, facts, node, holds ? "The condition holds." : "The condition does not hold."),
        way(node, holds),
      );
    }
    case "split": {
      const isFirst = shareOf(run.id, node.path) < node.percent;
      return go(
        note(here, facts, node, `In the ${isFirst ? "first" : "other"} part of the split.`),
        way(node, isFirst),
      );
    }
    case "end":
      return go(here, null);
    case "effect":
      return isInMain(node.step)
        ? { ...here, run: { ...run, wait: { until: facts.now, event: null } } }
        : act(here, node, facts);
  }
}

const way = (node: { next: Next; otherwise: Next }, isFirst: boolean) => (isFirst ? node.next : node.otherwise);

function conditionHolds(condition: Condition, { data }: Pick<Run, "data">, facts: Facts): boolean {
  return facts.person !== null && evaluate(condition, facts.person, { ...facts, event: data }, facts.budget);
}

/** Returns the place of a run among 100 parts of a split. */
export const shareOf = (runId: string, path: string): number => hash53(`${runId} ${path}`) % 100;

function begin(move: Move, node: Node, facts: Facts, wait: Wait, inZone = ""): Move {
  const until = iso(wait.until) + inZone;
  const text = wait.event === null ? `Waits until ${until}.` : `Waits for ${wait.event} until ${until}.`;
  const waiting = note(move, facts, node, text);
  return { ...waiting, run: { ...waiting.run, wait }, dueAt: wait.until };
}

/** Goes on after a wait that is over, or keeps waiting. */
function goOn(move: Move, wait: Wait, node: Node, facts: Facts): Move {
  if (node.kind === "effect") return act(move, node, { ...facts, now: wait.until });
  if (node.kind === "wait_for_event" && facts.found !== null) {
    const came = note(move, facts, node, `${node.event} came: took the first branch.`);
    return go({ ...came, run: { ...came.run, data: facts.found.data } }, node.next);
  }
  if (facts.now < wait.until) return { ...move, dueAt: wait.until };
  if (node.kind !== "wait_for_event") return go(move, node.next);
  return go(note(move, facts, node, `${node.event} did not come: took the other branch.`), node.otherwise);
}

/** Does the step, or puts an email off. */
function act(move: Move, node: Extract<Node, { kind: "effect" }>, facts: Facts): Move {
  const zone = zoneOf(facts.person, facts.zone);
  const day = dayIn(zone, facts.now);
  const later = node.step.kind === "send_email" ? putOff(facts, zone, day) : null;
  // The step has not been come to yet: it is when the email may go.
  if (later !== null)
    return { ...note(move, facts, node, later.text), entered: move.entered.slice(0, -1), dueAt: later.at };
  const { visit, data } = move.run;
  const { step, path } = node;
  const effect: Effect = { visit, step, path, day, data, at: facts.now, line: move.history.length };
  return go({ ...move, effect }, node.next);
}

/** Returns until when an email to the person waits, and why; null when it may go. */
function putOff({ now, entry, emailsOn }: Facts, zone: string, day: string): { at: number; text: string } | null {
  const limit = entry.emails_per_day;
  if (limit !== undefined && emailsOn(day) >= limit) {
    const at = nextDay(now, zone);
    return { at, text: `Waits until ${iso(at)} (${zone}): the person has got ${limit} emails of automations today.` };
  }
  const at = entry.quiet_hours ? endOfQuietHours(now, entry.quiet_hours, zone) : null;
  return at === null ? null : { at, text: `Waits until ${iso(at)} (${zone}): quiet hours.` };
}

/** Steps that change no fact on which a wait depends: a run begins the wait behind one in the same move. */
const CHANGES_NOBODY: readonly string[] = ["send_email", "webhook", "notify"];

/** Begins the wait behind a step that was done, or ends, so that this takes no move of its own. */
function settle(move: Move, nodes: readonly Node[], facts: Facts): Move {
  if (move.effect === null) return move;
  const node = nodeOf(move.run, nodes);
  if (node === null) return ended(move, "completed");
  const isWait = node.kind === "wait" || node.kind === "wait_until" || node.kind === "wait_for_event";
  return isWait && CHANGES_NOBODY.includes(move.effect.step.kind) ? come(move, node, facts) : move;
}
