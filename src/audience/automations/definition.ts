import type { Language } from "../../lib/personal-text.ts";
import type { Condition } from "../conditions/index.ts";

type Scalar = string | number | boolean;

/** The event that begins a run (docs/contract/automations.md#trigger). */
interface Trigger {
  /** Name of an event of its own or a built-in one. */
  event: string;
  filter?: Condition | undefined;
}

/** `once`: a person enters once. `once_per_period`: not again within the days. `every`: with every event. */
export const entryModes = ["once", "once_per_period", "every"] as const;

/** Who may enter, and rules for the whole run (docs/contract/automations.md#entry). */
export interface Entry {
  mode: (typeof entryModes)[number];
  period_days?: number | undefined;
  /** A person for whom it holds leaves before the next step. */
  exit_when?: Condition | undefined;
  /** A person who causes one of these events leaves before the next step. */
  exit_events?: string[] | undefined;
  /** Hours in the person's zone in which no email is sent, such as 22:00 to 08:00. */
  quiet_hours?: { from: string; to: string } | undefined;
  /** Most emails to a person on one day of their zone, over all automations. */
  emails_per_day?: number | undefined;
}

/** A span of time. */
export type Duration = { minutes: number } | { hours: number } | { days: number };

/** An email of a step: a template of the workspace, or its own texts. */
export interface EmailStep {
  kind: "send_email";
  mailbox_id: string;
  topic_id?: string | null | undefined;
  template_id?: string | undefined;
  language?: Language | undefined;
  subject?: string | undefined;
  html?: string | null | undefined;
  text?: string | null | undefined;
  /** Data of an editor, which no run reads. */
  blocks_json?: Record<string, unknown> | null | undefined;
}

/** A step (docs/contract/automations.md#steps). Steps behind a step with branches follow after both. */
export type Step =
  | EmailStep
  | { kind: "wait"; for: Duration }
  | { kind: "wait_until"; time: string; weekdays?: number[] | undefined }
  | {
      kind: "wait_for_event";
      event: string;
      filter?: Condition | undefined;
      limit: Duration;
      then_steps: Step[];
      else_steps: Step[];
    }
  | { kind: "branch"; when: Condition; then_steps: Step[]; else_steps: Step[] }
  | { kind: "split"; percent: number; then_steps: Step[]; else_steps: Step[] }
  | { kind: "set_field"; field: string; value: Scalar | null }
  | { kind: "add_to_list"; list_id: string }
  | { kind: "remove_from_list"; list_id: string }
  | { kind: "change_topic"; topic_id: string; subscribed: boolean; even_if_left?: boolean | undefined }
  | { kind: "webhook"; webhook_id: string }
  | { kind: "notify"; message: string }
  | { kind: "end" };

export type StepKind = Step["kind"];

/** The definition of an automation: what a version fixes. */
export interface Definition {
  trigger: Trigger;
  entry: Entry;
  steps: Step[];
}

const UNITS = { minutes: 1, hours: 60, days: 1_440 } as const;

/** Returns the whole minutes of a duration. */
export function minutesOf(duration: Duration): number {
  const [unit, count] = Object.entries(duration)[0] as [keyof typeof UNITS, number];
  return count * UNITS[unit];
}

/** A step with its place, such as `1.then_steps.0`: the second step's first step of its branch. */
export interface PlacedStep {
  path: string;
  step: Step;
}

/** Returns all steps in the order in which they are shown. */
export function placedSteps(steps: readonly Step[], prefix = ""): PlacedStep[] {
  return steps.flatMap((step, index) => {
    const path = `${prefix}${index}`;
    const inner =
      "then_steps" in step
        ? [
            ...placedSteps(step.then_steps, `${path}.then_steps.`),
            ...placedSteps(step.else_steps, `${path}.else_steps.`),
          ]
        : [];
    return [{ path, step }, ...inner];
  });
}

/** Returns the number of a step as people count: `2, then 1` for the path `1.then_steps.0`. */
export const stepNumber = (path: string): string =>
  path
    .replace(/\d+/g, (index) => String(Number(index) + 1))
    .replaceAll(".then_steps.", ", then ")
    .replaceAll(".else_steps.", ", else ");

/** Conditions with their place in a definition. */
export interface PlacedConditions {
  /** Path of the step; null: in the trigger or the entry. */
  path: string | null;
  /** The field that has them, such as `when` or `trigger.filter`. */
  field: string;
  conditions: Condition;
}

/** Returns the conditions of a definition with their places. */
export function placedConditions({ trigger, entry, steps }: Definition): PlacedConditions[] {
  const place = (path: string | null, field: string, conditions: Condition | undefined): PlacedConditions[] =>
    conditions === undefined ? [] : [{ path, field, conditions }];
  return [
    ...place(null, "trigger.filter", trigger.filter),
    ...place(null, "entry.exit_when", entry.exit_when),
    ...placedSteps(steps).flatMap(({ path, step }) => {
      if (step.kind === "branch") return place(path, "when", step.when);
      return step.kind === "wait_for_event" ? place(path, "filter", step.filter) : [];
    }),
  ];
}

/** Returns the conditions of a definition. */
export const conditionsOf = (definition: Definition): Condition[] =>
  placedConditions(definition).map(({ conditions }) => conditions);

/** Returns whether an automation sends emails. */
export const sendsEmail = ({ steps }: Definition): boolean =>
  placedSteps(steps).some(({ step }) => step.kind === "send_email");
