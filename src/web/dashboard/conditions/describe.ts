import type { Activity, Condition } from "../../../audience/conditions/index.ts";

/** Conditions in words. Pure. */

/** Names of lists, topics, segments and broadcasts by id. */
export type Names = ReadonlyMap<string, string>;

/** Words of the comparisons, in the order in which they are offered. */
export const COMPARISONS = {
  equals: "is",
  not_equals: "is not",
  contains: "contains",
  greater: "is greater than",
  less: "is less than",
  before: "is before",
  after: "is after",
  exists: "has a value",
  missing: "has no value",
  same: "is the same as in the event before",
} as const;

export const ACTIVITIES: Readonly<Record<Activity, string>> = {
  received: "Received an email",
  opened: "Opened an email",
  clicked: "Clicked in an email",
};

const days = (count: number) => (count === 1 ? "1 day" : `${count.toLocaleString("en")} days`);

/** Returns a condition without others inside as the end of a sentence about a person; a group in parentheses. */
export function describeCondition(condition: Condition, names: Names): string {
  if ("all" in condition) return condition.all.map((part) => describePart(part, names)).join(" and ");
  if ("any" in condition) return condition.any.map((part) => describePart(part, names)).join(" or ");
  if ("not" in condition) return `not: ${describePart(condition.not, names)}`;
  return describeLeaf(condition, names);
}

const describePart = (part: Condition, names: Names) =>
  "all" in part || "any" in part ? `(${describeCondition(part, names)})` : describeCondition(part, names);

function describeLeaf(condition: Condition, names: Names): string {
  const nameOf = (id: string) => names.get(id) ?? "one that is not shown";
  if ("list" in condition) return `is in the list ${nameOf(condition.list)}`;
  if ("segment" in condition) return `is in the segment ${nameOf(condition.segment)}`;
  if ("topic" in condition)
    return `${condition.subscribed ? "is subscribed to" : "is not subscribed to"} ${nameOf(condition.topic)}`;
  if ("added_within_days" in condition) return `was added within ${days(condition.added_within_days)}`;
  if ("activity" in condition) {
    const { activity, within_days, broadcast_id } = condition;
    const did = ACTIVITIES[activity].toLowerCase();
    if (broadcast_id !== undefined) return `${did} of the broadcast ${nameOf(broadcast_id)}`;
    return within_days === undefined ? `${did} at any time` : `${did} within ${days(within_days)}`;
  }
  if (!("field" in condition || "event" in condition)) return "";
  const subject = "field" in condition ? condition.field : `${condition.event} of the event`;
  // The data of an event names lists and others by their ids.
  const value = condition.value === undefined ? "" : ` “${names.get(String(condition.value)) ?? condition.value}”`;
  return `${subject} ${COMPARISONS[condition.is]}${value}`;
}
