import * as z from "zod";
import { isUuid } from "../../lib/ids.ts";
import { UNPRINTABLE } from "../../lib/text-rules.ts";
import { activities, type Condition, comparisons, limits, questions, type ValueTest } from "./conditions.ts";
import { testIssue } from "./values.ts";

const id = z.string().toLowerCase().refine(isUuid, "must be a UUID");
const text = (max: number) =>
  z
    .string()
    .max(max)
    .refine((value) => !UNPRINTABLE.test(value), "must not contain control characters or line breaks");
const scalar = z.union([text(limits.valueCharacters), z.number(), z.boolean()], {
  error: `value must be a text of at most ${limits.valueCharacters} characters, a number, true or false`,
});
const days = z.int().min(1).max(limits.days);

/** Fields of a test of a value: a comparison with `value`, or a question without. */
const valueTest = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z
    .strictObject({ ...shape, is: z.enum([...comparisons, ...questions]), value: scalar.optional() })
    .superRefine((test, context) => {
      const message = testIssue(test as unknown as ValueTest);
      if (message) context.addIssue({ code: "custom", message, path: ["value"] });
    });

const name = text(limits.fieldCharacters).min(1);

/** The conditions that contain no others, by the field that tells them apart. */
const leaves: Readonly<Record<string, z.ZodType>> = {
  list: z.strictObject({ list: id }),
  field: valueTest({ field: name }).refine(({ is }) => is !== "same", {
    message: "same is for the data of events",
    path: ["is"],
  }),
  event: valueTest({ event: name }),
  topic: z.strictObject({ topic: id, subscribed: z.boolean() }),
  added_within_days: z.strictObject({ added_within_days: days }),
  activity: z
    .strictObject({ activity: z.enum(activities), within_days: days.optional(), broadcast_id: id.optional() })
    .refine(({ within_days, broadcast_id }) => within_days === undefined || broadcast_id === undefined, {
      message: "within_days and broadcast_id exclude each other",
      path: ["broadcast_id"],
    }),
  segment: z.strictObject({ segment: id }),
};
const kinds = ["all", "any", "not", ...Object.keys(leaves)];

type Path = readonly (string | number)[];

/** Reads conditions of a request. Goes no deeper than the limit and no further than the greatest number of conditions. */
class Reader {
  readonly issues: { path: (string | number)[]; message: string }[] = [];
  #conditions = 0;

  /** Returns the condition with its ids in lower case, or undefined after an issue. `level` counts from 1. */
  read(value: unknown, path: Path, level: number): Condition | undefined {
    this.#conditions += 1;
    if (this.#conditions === limits.conditions + 1)
      this.#add([], `there are more than ${limits.conditions} conditions`);
    if (this.#conditions > limits.conditions) return undefined;
    if (level > limits.depth) return this.#add(path, `conditions are nested deeper than ${limits.depth} levels`);
    if (typeof value !== "object" || value === null || Array.isArray(value))
      return this.#add(path, "a condition must be an object");
    const record = value as Record<string, unknown>;
    const [kind, ...others] = kinds.filter((key) => Object.hasOwn(record, key));
    if (kind === undefined || others.length > 0)
      return this.#add(path, `a condition must have exactly one of ${kinds.join(", ")}`);
    if (kind === "all" || kind === "any" || kind === "not") return this.#readGroup(record, kind, path, level);
    const result = leaves[kind]?.safeParse(record);
    if (result?.success) return result.data as Condition;
    for (const issue of result?.error.issues ?? []) this.#add([...path, ...(issue.path as Path)], issue.message);
    return undefined;
  }

  #readGroup(record: Record<string, unknown>, kind: "all" | "any" | "not", path: Path, level: number) {
    const parts = record[kind];
    const other = Object.keys(record).find((key) => key !== kind);
    if (other !== undefined) return this.#add(path, `${kind} takes no other field beside it`);
    if (kind === "not") {
      const part = this.read(parts, [...path, kind], level + 1);
      return part && { not: part };
    }
    if (!Array.isArray(parts) || parts.length === 0)
      return this.#add([...path, kind], `${kind} must be a list of at least one condition`);
    const read: Condition[] = [];
    for (const [index, part] of parts.entries()) {
      if (this.#conditions > limits.conditions) return undefined;
      const condition = this.read(part, [...path, kind, index], level + 1);
      if (condition) read.push(condition);
    }
    return { [kind]: read } as Condition;
  }

  #add(path: Path, message: string): undefined {
    this.issues.push({ path: [...path], message });
  }
}

const example = {
  all: [{ field: "plan", is: "equals", value: "gold" }, { not: { activity: "opened", within_days: 30 } }],
};

/** Conditions of a request (docs/contract/segments.md#conditions). Those with `event` are for automations. */
export const Conditions = z
  .record(z.string(), z.unknown(), { error: "a condition must be an object" })
  .superRefine((value, context) => {
    const reader = new Reader();
    reader.read(value, [], 1);
    for (const { path, message } of reader.issues)
      context.addIssue({ code: "custom", message, path, input: value, continue: false });
  })
  .overwrite((value) => new Reader().read(value, [], 1) as unknown as Record<string, unknown>)
  .meta({
    description:
      "One of {field, is, value}, {list}, {topic, subscribed}, {added_within_days}, {activity, within_days or broadcast_id}, {segment}, " +
      `or all, any and not of others, at most ${limits.depth} levels deep and ${limits.conditions} in all (docs/contract/segments.md#conditions).`,
    example,
  }) as unknown as z.ZodType<Condition>;
