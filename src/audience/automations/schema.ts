import * as z from "zod";
import { languages } from "../../lib/personal-text.ts";
import { named, timestamp } from "../../lib/serialize.ts";
import { lineField } from "../../lib/text-fields.ts";
import { Blocks } from "../../sending/templates/index.ts";
import { Conditions } from "../conditions/index.ts";
import { type Definition, type Duration, entryModes, minutesOf, placedSteps, type Step } from "./definition.ts";
import { limits, statuses } from "./rules.ts";

/** Request and response schemas of automations. */

const id = z.string().toLowerCase().pipe(z.uuid());

const EventName = z
  .string()
  .regex(/^[A-Za-z0-9._-]+$/, "an event's name has letters, digits, dots, hyphens and underscores")
  .max(limits.eventCharacters)
  .meta({ minLength: 1 });

const Time = z
  .string()
  .max(5)
  .regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, "a time is hours and minutes, such as 09:00");

const count = z.int().min(1);
const TOO_LONG = `a duration is at most ${limits.waitMinutes} minutes (366 days)`;

const DurationIn = z
  .union([z.strictObject({ minutes: count }), z.strictObject({ hours: count }), z.strictObject({ days: count })])
  .refine((duration: Duration) => minutesOf(duration) <= limits.waitMinutes, TOO_LONG)
  .describe("One of minutes, hours and days.");

const TriggerIn = z.strictObject({
  event: EventName.describe("An event of your own, or a built-in one such as contact.added."),
  filter: Conditions.optional().describe("Conditions on the person and on the data of the event."),
});

const EntryIn = z
  .strictObject({
    mode: z.enum(entryModes).default("once"),
    period_days: z.int().min(1).max(3_650).optional().describe("With once_per_period."),
    exit_when: Conditions.optional().describe("A person for whom it holds leaves before the next step."),
    exit_events: z.array(EventName).min(1).max(limits.exitEvents).optional(),
    quiet_hours: z
      .strictObject({ from: Time, to: Time })
      .refine(({ from, to }) => from !== to, "from and to must differ")
      .optional()
      .describe("Hours in the person's zone in which no email is sent."),
    emails_per_day: z.int().min(1).max(limits.emailsPerDay).optional(),
  })
  .refine(({ mode, period_days }) => (mode === "once_per_period") === (period_days !== undefined), {
    message: "period_days is for once_per_period, which needs it",
    path: ["period_days"],
  });

const scalar = z.union([z.string().max(limits.valueCharacters), z.number(), z.boolean()]);
const text = z.string().max(limits.bytes).nullish();

const EmailIn = z
  .strictObject({
    kind: z.literal("send_email"),
    mailbox_id: id.describe("The sender."),
    topic_id: id.nullish(),
    template_id: id.optional().describe("Or subject, and html or text."),
    language: z.enum(languages).optional(),
    subject: z.string().max(998).optional(),
    html: text,
    text,
    blocks_json: Blocks,
  })
  .refine(({ template_id, subject }) => (template_id === undefined) !== (subject === undefined), {
    message: "an email has either template_id or subject",
    path: ["subject"],
  })
  .refine(({ template_id, html, text: plain }) => template_id !== undefined || Boolean(html) || Boolean(plain), {
    message: "an email has html or text",
    path: ["html"],
  });

const plainSteps = [
  EmailIn,
  z.strictObject({ kind: z.literal("wait"), for: DurationIn }),
  z.strictObject({
    kind: z.literal("wait_until"),
    time: Time,
    weekdays: z.array(z.int().min(1).max(7)).min(1).max(7).optional().describe("1: Monday to 7: Sunday."),
  }),
  z.strictObject({
    kind: z.literal("set_field"),
    field: lineField("field", limits.fieldCharacters).refine(
      (field) => field !== "email",
      "the address cannot be changed",
    ),
    value: scalar.nullable().describe("null clears the field."),
  }),
  z.strictObject({ kind: z.literal("add_to_list"), list_id: id }),
  z.strictObject({ kind: z.literal("remove_from_list"), list_id: id }),
  z.strictObject({
    kind: z.literal("change_topic"),
    topic_id: id,
    subscribed: z.boolean(),
    even_if_left: z.boolean().optional().describe("true: subscribes also a person who has left the topic."),
  }),
  z.strictObject({ kind: z.literal("webhook"), webhook_id: id }),
  z.strictObject({ kind: z.literal("notify"), message: lineField("message", limits.messageCharacters) }),
  z.strictObject({ kind: z.literal("end") }),
] as const;

/** A schema of the steps at a level, from 1 on: deeper ones than the limit are refused without recursion. */
function stepAt(level: number): z.ZodType<Step> {
  if (level === limits.depth) return z.union(plainSteps) as unknown as z.ZodType<Step>;
  const inner = z
    .array(stepAt(level + 1))
    .max(limits.steps)
    .default([]);
  const branches = { then_steps: inner, else_steps: inner };
  return z.union([
    ...plainSteps,
    z.strictObject({
      kind: z.literal("wait_for_event"),
      event: EventName,
      filter: Conditions.optional(),
      limit: DurationIn,
      ...branches,
    }),
    z.strictObject({ kind: z.literal("branch"), when: Conditions, ...branches }),
    z.strictObject({ kind: z.literal("split"), percent: z.int().min(1).max(99), ...branches }),
  ]) as unknown as z.ZodType<Step>;
}

const StepsIn = z
  .array(stepAt(1))
  .max(limits.steps)
  .superRefine((steps, context) => {
    const placed = placedSteps(steps).length;
    if (placed > limits.steps)
      context.addIssue({ code: "custom", message: `there are ${placed} steps; the limit is ${limits.steps}` });
  })
  .meta({ type: "array", items: { type: "object", additionalProperties: true } })
  .describe(
    "Steps by kind: send_email, wait, wait_until, wait_for_event, branch, split, set_field, " +
      "add_to_list, remove_from_list, change_topic, webhook, notify, end. Those with branches have then_steps and else_steps.",
  );

const fields = {
  name: lineField("name", limits.nameCharacters),
  trigger: TriggerIn,
  entry: EntryIn,
  steps: StepsIn,
};

const example = {
  name: "Welcome",
  trigger: { event: "signed_up" },
  entry: { mode: "once" as const },
  steps: [
    { kind: "wait", for: { hours: 1 } },
    { kind: "notify", message: "A new subscriber" },
  ],
};

export const AutomationIn = z
  .object({ ...fields, entry: EntryIn.default({ mode: "once" }), steps: StepsIn.default([]) })
  .meta({ ref: "AutomationCreate", example });
export type AutomationIn = z.output<typeof AutomationIn>;

export const AutomationPatch = z
  .object(fields)
  .partial()
  .meta({ ref: "AutomationUpdate", example: { name: "Welcome" } });
export type AutomationPatch = z.output<typeof AutomationPatch>;

export const AutomationOut = z
  .object({
    id: z.uuid(),
    name: z.string(),
    status: z.enum(statuses),
    trigger: z.looseObject({ event: z.string() }),
    entry: z.looseObject({ mode: z.enum(entryModes) }),
    steps: z.array(z.looseObject({ kind: z.string() })),
    version: z.int().describe("Number of the version that people enter; 0: it was never active."),
    pause_reason: z.string().nullable().describe("Why the service paused it. null: a person did, or it is not paused."),
    counters: z
      .looseObject({ entered: z.int(), active: z.int(), completed: z.int(), exited: z.int(), removed: z.int() })
      .describe("Runs of all versions."),
    step_counters: z.record(z.string(), z.int()).describe("Runs of this version that came to each step, by its path."),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta(
    named("Automation", {
      id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a33",
      ...example,
      status: "active",
      version: 1,
      pause_reason: null,
      counters: { entered: 10, active: 4, completed: 5, exited: 1, removed: 0 },
      step_counters: {},
      created_at: "2026-11-26T14:00:00.000Z",
      updated_at: "2026-11-26T14:00:00.000Z",
    }),
  );
export type AutomationOut = z.output<typeof AutomationOut>;

/** Returns the definition of a request. */
export const toDefinition = ({ trigger, entry, steps }: Definition): Definition => ({ trigger, entry, steps });
