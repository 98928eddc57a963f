import type { EmailStep, Step, StepKind } from "../../../audience/automations/index.ts";
import type { Condition } from "../../../audience/conditions/index.ts";
import type { IconName } from "../../../http/ui/index.ts";
import { tryOr } from "../../../lib/try-or.ts";
import { type StoredContent, toTexts, type WrittenContent } from "../blocks/index.ts";
import { describeCondition } from "../conditions/index.ts";

/** The fields of the form of a step, by name. Pure. */
export type StepValues = Readonly<Record<string, string>>;

/** Returns the steps as one value, whose version a form begins from. */
export const shownSteps = (steps: unknown) => ({ Steps: JSON.stringify(steps) });

/** Kinds of steps with their names and icons, in the order in which they are offered. */
export const KINDS: Readonly<Record<StepKind, readonly [name: string, icon: IconName]>> = {
  send_email: ["Send an email", "mail"],
  wait: ["Wait", "clock"],
  wait_until: ["Wait until an hour", "calendar"],
  wait_for_event: ["Wait for an event", "pause"],
  branch: ["Branch by a condition", "branch"],
  split: ["Split by percent", "columns"],
  set_field: ["Set a field", "edit"],
  add_to_list: ["Add to a list", "list"],
  remove_from_list: ["Remove from a list", "clear"],
  change_topic: ["Change a topic", "tag"],
  webhook: ["Call a webhook", "plug"],
  notify: ["Notify the team", "bell"],
  end: ["End", "exit"],
};

/** The field of a step that has conditions, by its kind. */
export const CONDITIONS_OF: Readonly<Partial<Record<string, "when" | "filter">>> = {
  branch: "when",
  wait_for_event: "filter",
};

/** Returns the conditions of a step. */
export function conditionsOfStep(step: Step): Condition | undefined {
  if (step.kind === "branch") return step.when;
  return step.kind === "wait_for_event" ? step.filter : undefined;
}

/** Units of a duration. */
export const UNITS = ["minutes", "hours", "days"] as const;

/** Returns the content of an email, with the names that other contents have. */
export const contentOf = ({
  language = "placeholders",
  html: html_body = null,
  text: text_body = null,
  blocks_json = null,
}: EmailStep): StoredContent => ({ language, html_body, text_body, blocks_json });

/** Returns the fields of a step as its form shows them. Its conditions and branches are none of them. */
export function valuesOfStep(step: Step): StepValues {
  const texts = Object.entries(step).filter(([, value]) => typeof value !== "object");
  const values = Object.fromEntries(texts.map(([name, value]) => [name, String(value)]));
  if (step.kind === "wait") return { ...values, ...durationValues(step.for) };
  if (step.kind === "change_topic" && step.even_if_left) return { ...values, subscribed: "even_if_left" };
  if (step.kind === "wait_for_event") return { ...values, ...durationValues(step.limit) };
  return step.kind === "wait_until" ? { ...values, weekdays: (step.weekdays ?? []).join(",") } : values;
}

function durationValues(duration: object): StepValues {
  const [unit = "hours", count = 1] = Object.entries(duration)[0] ?? [];
  return { count: String(count), unit };
}

/** Returns the step of a form as a request has it, with empty branches. Throws 422 that names the fields of blocks that are wrong. */
export function toStepFields(
  kind: string,
  values: StepValues,
  { conditions, content }: { conditions: Condition | undefined; content: WrittenContent },
): Record<string, unknown> {
  const { count = "", unit = "", ...rest } = values;
  const duration = { [UNITS.find((name) => name === unit) ?? "hours"]: Number(count) };
  const branches = { then_steps: [], else_steps: [] };
  switch (kind) {
    case "wait":
      return { kind, for: duration };
    case "wait_for_event":
      return { kind, event: rest.event, limit: duration, ...optional("filter", conditions), ...branches };
    case "wait_until": {
      const days = (rest.weekdays ?? "").split(",").flatMap((day) => (day.trim() === "" ? [] : [Number(day)]));
      return { kind, time: rest.time, ...(days.length > 0 ? { weekdays: days } : {}) };
    }
    case "branch":
      return { kind, when: conditions, ...branches };
    case "split":
      return { kind, percent: Number(rest.percent), ...branches };
    case "change_topic":
      return {
        kind,
        topic_id: rest.topic_id,
        subscribed: rest.subscribed !== "false",
        ...optional("even_if_left", rest.subscribed === "even_if_left" || undefined),
      };
    case "set_field":
      return { kind, field: rest.field, value: rest.value === "" ? null : rest.value };
    case "send_email": {
      // A template is sent in place of blocks.
      const { html_body, text_body, ...texts } = toTexts(rest.template_id ? { ...content, blocks: null } : content);
      return { kind, ...filledIn({ ...rest, ...texts, html: html_body, text: text_body }) };
    }
    default:
      return { kind, ...filledIn(rest) };
  }
}

const filledIn = (fields: object) => Object.fromEntries(Object.entries(fields).filter(([, value]) => value));

const optional = (name: string, value: unknown) => (value === undefined ? {} : { [name]: value });

/** Reads a field of JSON: undefined for an empty one, and its text for what is no JSON, which the schema refuses. */
export function readJson(form: URLSearchParams, name: string): unknown {
  const text = form.get(name) ?? "";
  return text.trim() === "" ? undefined : tryOr(() => JSON.parse(text) as unknown, text);
}

/** Returns a step in a few words. `names`: of mailboxes, lists, topics, templates and webhooks by id. */
export function describeStep(step: Step, names: ReadonlyMap<string, string>): string {
  const nameOf = (id: string) => names.get(id) ?? "one that does not exist any more";
  switch (step.kind) {
    case "send_email":
      return `Send ${step.template_id ? `the template ${nameOf(step.template_id)}` : `“${step.subject ?? ""}”`} from ${nameOf(step.mailbox_id)}`;
    case "wait":
      return `Wait ${spanOf(step.for)}`;
    case "wait_until":
      return `Wait until ${step.time}`;
    case "wait_for_event":
      return `Wait for ${step.event}${step.filter ? `, if ${describeCondition(step.filter, names)}` : ""}, at most ${spanOf(step.limit)}`;
    case "branch":
      return `If ${describeCondition(step.when, names)}`;
    case "split":
      return `Split: ${step.percent} %`;
    case "set_field":
      return step.value === null ? `Clear ${step.field}` : `Set ${step.field} to ${step.value}`;
    case "add_to_list":
      return `Add to ${nameOf(step.list_id)}`;
    case "remove_from_list":
      return `Remove from ${nameOf(step.list_id)}`;
    case "change_topic":
      return `${step.subscribed ? "Subscribe to" : "Unsubscribe from"} ${nameOf(step.topic_id)}`;
    case "webhook":
      return `Call ${nameOf(step.webhook_id)}`;
    case "notify":
      return `Notify the team: ${step.message}`;
    case "end":
      return "End";
  }
}

function spanOf(duration: object): string {
  const [unit = "", count = 0] = Object.entries(duration)[0] ?? [];
  return `${count} ${count === 1 ? unit.slice(0, -1) : unit}`;
}
