import type { Condition } from "../conditions/index.ts";
import { type Definition, minutesOf, placedSteps, type Step } from "./definition.ts";

/** Steps that change something outside of the run. */
const effectKinds = [
  "send_email",
  "set_field",
  "add_to_list",
  "remove_from_list",
  "change_topic",
  "webhook",
  "notify",
] as const;
export type EffectKind = (typeof effectKinds)[number];
export type EffectStep = Extract<Step, { kind: EffectKind }>;

/** Where a run goes on: the position of a node, or null at the end. */
export type Next = number | null;

/** A step of a version. `next` of one with branches is its first one. */
export type Node = { path: string; next: Next } & (
  | { kind: "effect"; step: EffectStep }
  | { kind: "wait"; minutes: number }
  | { kind: "wait_until"; time: string; weekdays: readonly number[] }
  | { kind: "wait_for_event"; event: string; filter: Condition | null; minutes: number; otherwise: Next }
  | { kind: "branch"; when: Condition; otherwise: Next }
  | { kind: "split"; percent: number; otherwise: Next }
  | { kind: "end" }
);

/** Returns the steps of a definition as nodes, in the order of `placedSteps`. A run begins at the first. Pure. */
export function compile({ steps }: Pick<Definition, "steps">): Node[] {
  return nodesOf(steps, { prefix: "", at: 0, after: null });
}

/** Steps whose first node is at a position, and where a run goes on after the last. */
type Place = { prefix: string; at: number; after: Next };

function nodesOf(steps: readonly Step[], { prefix, at, after }: Place): Node[] {
  const nodes: Node[] = [];
  steps.forEach((step, index) => {
    const own = at + nodes.length;
    const isLast = index === steps.length - 1;
    const next = isLast ? after : own + placedSteps([step]).length;
    nodes.push(...nodesOfStep(step, `${prefix}${index}`, own, next));
  });
  return nodes;
}

function nodesOfStep(step: Step, path: string, own: number, next: Next): Node[] {
  switch (step.kind) {
    case "wait":
      return [{ path, kind: "wait", minutes: minutesOf(step.for), next }];
    case "wait_until":
      return [{ path, kind: "wait_until", time: step.time, weekdays: step.weekdays ?? [], next }];
    case "end":
      return [{ path, kind: "end", next: null }];
    case "branch":
    case "split":
    case "wait_for_event": {
      const then = nodesOf(step.then_steps, { prefix: `${path}.then_steps.`, at: own + 1, after: next });
      const behind = own + 1 + then.length;
      const others = nodesOf(step.else_steps, { prefix: `${path}.else_steps.`, at: behind, after: next });
      const ways = { next: then.length > 0 ? own + 1 : next, otherwise: others.length > 0 ? behind : next };
      return [headOf(step, path, ways), ...then, ...others];
    }
    default:
      return [{ path, kind: "effect", step, next }];
  }
}

type StepWithBranches = Extract<Step, { then_steps: Step[] }>;

function headOf(step: StepWithBranches, path: string, ways: { next: Next; otherwise: Next }): Node {
  if (step.kind === "branch") return { path, kind: "branch", when: step.when, ...ways };
  if (step.kind === "split") return { path, kind: "split", percent: step.percent, ...ways };
  const { event, filter = null, limit } = step;
  return { path, kind: "wait_for_event", event, filter, minutes: minutesOf(limit), ...ways };
}
