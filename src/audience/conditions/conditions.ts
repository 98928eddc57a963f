/** Conditions over a person, as JSON (docs/contract/segments.md#conditions). Pure. */

/** Limits of one set of conditions. */
export const limits = {
  /** Levels of `all`, `any` and `not`, the outermost included. */
  depth: 5,
  conditions: 50,
  fieldCharacters: 128,
  valueCharacters: 1_000,
  /** Characters of a text that another contains. Longer ones take the product of both lengths to be found. */
  containedCharacters: 250,
  /** Characters of the values of a person that are compared at once, about a second of CPU. Conditions that need more hold for no one. */
  comparedCharacters: 200_000_000,
  days: 3_650,
  /** Segments in a chain of segments that contain the next, the first included. */
  segmentDepth: 3,
} as const;

/** Comparisons of a value with that of a condition. */
export const comparisons = ["equals", "not_equals", "contains", "greater", "less", "before", "after"] as const;
/** Questions about a value that need no other one. `same` is asked about events: the event before has the same value. */
export const questions = ["exists", "missing", "same"] as const;

export const activities = ["received", "opened", "clicked"] as const;
export type Activity = (typeof activities)[number];

export type Scalar = string | number | boolean;

/** A comparison of one value of metadata, or of the data of an event. */
export interface ValueTest {
  is: (typeof comparisons)[number] | (typeof questions)[number];
  value?: Scalar | undefined;
}

/** A condition, or several of them. */
export type Condition =
  | { all: Condition[] }
  | { any: Condition[] }
  | { not: Condition }
  /** The person has a contact in this list, confirmed or not. */
  | { list: string }
  /** A contact of the person has this value in its metadata; `email` and `name` are its own fields. */
  | ({ field: string } & ValueTest)
  /** The data of the event that the run began with or waited for last; a path such as `order.total`. */
  | ({ event: string } & ValueTest)
  | { topic: string; subscribed: boolean }
  /** When the person was first added, by days before now. */
  | { added_within_days: number }
  /** The person did this within so many days; with `broadcast_id` of that broadcast, at any time. */
  | { activity: Activity; within_days?: number | undefined; broadcast_id?: string | undefined }
  | { segment: string };

/** Returns every condition below one, itself included. The schema has bounded its depth. */
const flatten = (condition: Condition): Condition[] => [condition, ...partsOf(condition).flatMap(flatten)];

/** Returns every condition below one, itself included, each with its place, as fields and indexes. */
export function placesOf(
  condition: Condition,
  path: readonly (string | number)[] = [],
): { condition: Condition; path: readonly (string | number)[] }[] {
  const own = { condition, path };
  if ("not" in condition) return [own, ...placesOf(condition.not, [...path, "not"])];
  const kind = "all" in condition ? "all" : "any";
  return [own, ...partsOf(condition).flatMap((part, index) => placesOf(part, [...path, kind, index]))];
}

function partsOf(condition: Condition): Condition[] {
  if ("all" in condition) return condition.all;
  if ("any" in condition) return condition.any;
  return "not" in condition ? [condition.not] : [];
}

/** The things that conditions name, each once: ids by kind, fields of contacts, and whether they ask about activity and about an event. */
export interface References {
  lists: string[];
  topics: string[];
  segments: string[];
  broadcasts: string[];
  /** Names of metadata; `email` and `name` are columns. */
  fields: string[];
  activity: boolean;
  event: boolean;
  /** Number of the conditions. */
  count: number;
}

/** Returns what sets of conditions name. The conditions of the segments that they name must be passed too. */
export function referencesOf(...conditions: readonly Condition[]): References {
  const all = conditions.flatMap(flatten);
  const ids = (pick: (condition: Condition) => string | undefined) => [
    ...new Set(all.flatMap((condition) => pick(condition) ?? [])),
  ];
  return {
    lists: ids((one) => ("list" in one ? one.list : undefined)),
    topics: ids((one) => ("topic" in one ? one.topic : undefined)),
    segments: ids((one) => ("segment" in one ? one.segment : undefined)),
    broadcasts: ids((one) => ("activity" in one ? one.broadcast_id : undefined)),
    fields: ids((one) => ("field" in one ? one.field : undefined)),
    activity: all.some((one) => "activity" in one),
    event: all.some((one) => "event" in one),
    count: all.length,
  };
}
