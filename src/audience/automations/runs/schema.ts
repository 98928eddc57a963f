import * as z from "zod";
import { named, timestamp } from "../../../lib/serialize.ts";
import { TestIn } from "../../broadcasts/index.ts";
import { limits, runStatuses } from "../rules.ts";

/** Request and response schemas of runs. */

const item = {
  id: z.uuid(),
  email: z.string().describe("Canonical address of the person."),
  version: z.int().describe("Number of the version that the person entered."),
  status: z.enum(runStatuses),
  step: z.string().nullable().describe("Path of the step that comes next, or where it waits. null: the run has ended."),
  wait_until: timestamp.nullable(),
  wait_event: z.string().nullable().describe("The event that ends the wait sooner."),
  is_held: z.boolean().describe("It stays where it is: the automation is paused, or a backup was restored."),
  started_at: timestamp,
  ended_at: timestamp.nullable(),
};

const example = {
  id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a32",
  email: "ada@example.com",
  version: 1,
  status: "active" as const,
  step: "0",
  wait_until: "2026-11-27T14:00:00.000Z",
  wait_event: null,
  is_held: false,
  started_at: "2026-11-26T14:00:00.000Z",
  ended_at: null,
};

export const RunItemOut = z.object(item).meta({ ref: "AutomationRunItem", examples: [example] });
export type RunItemOut = z.output<typeof RunItemOut>;

const Line = z.object({ at: timestamp, step: z.string().nullable().describe("Path of the step."), text: z.string() });

const history = [
  { at: "2026-11-26T14:00:00.000Z", step: null, text: "Entered by signed_up." },
  { at: "2026-11-26T14:00:00.500Z", step: "0", text: "Waits until 2026-11-27T14:00:00.000Z." },
];

const data = z.record(z.string(), z.unknown());

export const RunOut = z
  .object({
    ...item,
    data: data.describe("Data of the event that began it, or of the last one that it waited for."),
    history: z.array(Line).describe("Oldest first."),
  })
  .meta({ ref: "AutomationRun", examples: [{ ...example, data: {}, history }] });
export type RunOut = z.output<typeof RunOut>;

const Time = z.iso.datetime({ offset: true });

const EventIn = z.object({ name: z.string().min(1).max(limits.eventCharacters), at: Time, data: data.default({}) });

export const DryRunIn = z
  .object({
    email: z.string().min(3).max(1_000).describe("Address of a person of the workspace."),
    data: data.default({}).describe("Data of the event that begins the run."),
    at: Time.optional().describe("When it begins. Absent: now."),
    events: z.array(EventIn).max(50).default([]).describe("Events of the person that come meanwhile."),
  })
  .meta({ ref: "AutomationDryRunRequest", example: { email: "ada@example.com" } });
export type DryRunIn = z.output<typeof DryRunIn>;

export const StepTestIn = TestIn.omit({ variant_id: true })
  .extend({
    step: z.string().max(200).describe("Path of a step that sends an email, such as 1.then_steps.0."),
    data: data.default({}).describe("Data of the event, which the email may name as event."),
  })
  .meta({ ref: "AutomationTest", example: { step: "0", to: ["ada@example.org"] } });
export type StepTestIn = z.output<typeof StepTestIn>;

export const DryRunOut = z
  .object({
    enters: z.boolean().describe("The filter of the trigger holds."),
    history: z.array(Line),
    emails: z.array(z.object({ at: timestamp, step: z.string(), subject: z.string().nullable() })),
    ends_at: timestamp.nullable().describe("When the run ends. null: the person does not enter."),
  })
  .meta(named("AutomationDryRun", { enters: true, history, emails: [], ends_at: "2026-11-27T14:00:00.000Z" }));
export type DryRunOut = z.output<typeof DryRunOut>;
