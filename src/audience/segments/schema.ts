import * as z from "zod";
import { named, serialize, timestamp } from "../../lib/serialize.ts";
import { checkName } from "../../lib/text-fields.ts";
import { iso, isoOrNull } from "../../lib/time.ts";
import { type Condition, Conditions, type Person } from "../conditions/index.ts";
import type { CountState, SegmentRow } from "./queries.ts";
import { limits } from "./rules.ts";

/** Request and response schemas of segments. */

const Name = z
  .string()
  .trim()
  .min(1)
  .refine((name) => Array.from(name.slice(0, 2 * limits.nameCharacters + 1)).length <= limits.nameCharacters, {
    message: `name must have at most ${limits.nameCharacters} characters`,
  })
  .superRefine(checkName)
  .meta({ maxLength: limits.nameCharacters });

const conditionsExample: Condition = {
  all: [{ field: "plan", is: "equals", value: "gold" }, { not: { activity: "opened", within_days: 30 } }],
};

export const SegmentIn = z
  .object({ name: Name, conditions: Conditions })
  .meta({ ref: "SegmentCreate", example: { name: "Gold, asleep", conditions: conditionsExample } });
export type SegmentIn = z.output<typeof SegmentIn>;

export const SegmentPatch = z
  .object({ name: Name, conditions: Conditions })
  .partial()
  .meta({ ref: "SegmentUpdate", example: { name: "Gold customers, asleep" } });
export type SegmentPatch = z.output<typeof SegmentPatch>;

const example = {
  id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a31",
  name: "Gold, asleep",
  conditions: conditionsExample,
  count: 1_204,
  counted_at: "2026-11-26T14:05:00.000Z",
  activity_since: "2026-11-26T14:00:00.000Z",
  created_at: "2026-11-26T14:00:00.000Z",
  updated_at: "2026-11-26T14:00:00.000Z",
};

export const SegmentOut = z
  .object({
    id: z.uuid(),
    name: z.string(),
    conditions: z.record(z.string(), z.unknown()),
    count: z
      .int()
      .nullable()
      .describe("People of the last count; null: it was not counted since its conditions changed."),
    counted_at: timestamp.nullable(),
    activity_since: timestamp
      .nullable()
      .describe("Since when the workspace keeps activity: what people opened before does not count."),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta(named("Segment", example));
export type SegmentOut = z.output<typeof SegmentOut>;

/** Serializes a segment. */
export function toSegment(row: SegmentRow): SegmentOut {
  const counted = row.count?.status === "done" ? row.count : null;
  return serialize(SegmentOut, {
    ...row,
    conditions: row.conditions as unknown as Record<string, unknown>,
    count: counted?.count ?? null,
    countedAt: counted?.at ?? null,
    activitySince: isoOrNull(row.activitySince),
  });
}

const contactExample = {
  id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a0b",
  list_id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a0a",
  email: "ada@example.org",
  name: "Ada Lovelace",
  status: "active" as const,
};

export const SegmentContactOut = z
  .object({
    id: z.uuid(),
    list_id: z.uuid(),
    email: z.string(),
    name: z.string().nullable(),
    status: z.enum(["pending", "active"]),
  })
  .meta(named("SegmentContact", contactExample));
export type SegmentContactOut = z.output<typeof SegmentContactOut>;

/** Serializes a person of a segment: as its oldest contact that is active, or else its oldest. */
export function toSegmentContact({ contacts: [first, ...others] }: Person): SegmentContactOut[] {
  if (!first) return [];
  const { id, list, email, name, isPending } = [first, ...others].find((contact) => !contact.isPending) ?? first;
  return [{ id, list_id: list, email, name, status: isPending ? "pending" : "active" }];
}

export const SegmentCountOut = z
  .object({
    status: z.enum(["counting", "done"]),
    count: z.int().describe("People of the segment among those that were evaluated so far."),
    evaluated: z.int(),
    total: z
      .int()
      .describe("Contacts of the workspace when the count began. A person in several lists is several of them."),
    counted_at: timestamp.nullable().describe("null while the count runs."),
    sample: z.array(SegmentContactOut).describe(`The first people of the segment, at most ${limits.sample}.`),
  })
  .meta(
    named("SegmentCount", {
      status: "counting" as const,
      count: 96,
      evaluated: 1_000,
      total: 12_400,
      counted_at: null,
      sample: [contactExample],
    }),
  );
export type SegmentCountOut = z.output<typeof SegmentCountOut>;

/** Serializes the count of a segment. */
export const toCount = ({ status, count, evaluated, total, at, sample }: CountState): SegmentCountOut => ({
  status,
  count,
  evaluated,
  total,
  counted_at: status === "done" ? iso(at) : null,
  sample: [...sample],
});
