import type { WorkBudget } from "../../lib/liquid/meter.ts";
import { DAY_MS } from "../../lib/time.ts";
import { type Activity, type Condition, limits, type ValueTest } from "./conditions.ts";
import { type ComparedTexts, isSame, testValue } from "./values.ts";

/** A contact of a person, as conditions read it. */
export interface PersonContact {
  /** Id of its list. */
  list: string;
  /** Id of the contact. */
  id: string;
  email: string;
  name: string | null;
  /** The values of metadata that the conditions name. */
  metadata: Readonly<Record<string, unknown>>;
  /** Milliseconds since 1970. */
  createdAt: number;
  /** It has not confirmed. */
  isPending: boolean;
}

/** The facts about one person that conditions read. Times in milliseconds since 1970. */
export interface Person {
  /** Canonical address. */
  key: string;
  /** Its contacts, oldest first. At least one. */
  contacts: readonly PersonContact[];
  /** When the person last received, opened and clicked an email. */
  activity: Readonly<Partial<Record<Activity, number>>>;
  /** The broadcasts whose emails the person received, opened or clicked, as `activity broadcast`. */
  broadcasts: ReadonlySet<string>;
  /** Topics that the person is subscribed to, by id. */
  topics: ReadonlySet<string>;
}

/** The facts beside the person with which a condition is evaluated. */
export interface Circumstances {
  /** Milliseconds since 1970. */
  now: number;
  /** The data of an event, in automations. */
  event?: Readonly<Record<string, unknown>>;
  /** That of the event before it: the one that the run began with, or waited for last. */
  eventBefore?: Readonly<Record<string, unknown>>;
  /** Conditions of segments by id. One that does not exist any more holds for no person. */
  segments: ReadonlyMap<string, Condition>;
}

/** Characters of values that may still be compared: for one set of conditions, or for all that one move of a run evaluates. */
export interface ComparisonBudget {
  left: number;
  readonly invocation: WorkBudget | undefined;
}

/** Returns a budget whose comparisons are work of an invocation, too. */
export const newComparisonBudget = (invocation?: WorkBudget): ComparisonBudget => ({
  left: limits.comparedCharacters,
  invocation,
});

/** Characters whose comparison is a unit of work (src/lib/liquid/meter.ts). */
const CHARACTERS_PER_UNIT = 4;

function spend(budget: ComparisonBudget, characters: number): void {
  budget.left -= characters;
  if (budget.invocation) budget.invocation.work -= characters / CHARACTERS_PER_UNIT;
}

/**
 * Returns whether a condition holds for a person (docs/contract/segments.md#conditions). A condition on a field holds when it does for one
 * contact of the person, and none that uses up the budget. Pure, but for the budget.
 */
export function evaluate(
  condition: Condition,
  person: Person,
  circumstances: Circumstances,
  budget = newComparisonBudget(),
): boolean {
  const evaluation = { person, circumstances, budget, depth: 0, known: new Map(), texts: new Map() };
  return holds(condition, evaluation) && budget.left > 0;
}

interface Evaluation {
  person: Person;
  circumstances: Circumstances;
  budget: ComparisonBudget;
  /** Segments around the condition. */
  depth: number;
  /** Results of segments by depth and id: each is evaluated once, however many conditions name it. */
  known: Map<string, boolean>;
  texts: ComparedTexts;
}

function holds(condition: Condition, evaluation: Evaluation): boolean {
  const { person, circumstances } = evaluation;
  const { now } = circumstances;
  if ("all" in condition) return condition.all.every((part) => holds(part, evaluation));
  if ("any" in condition) return condition.any.some((part) => holds(part, evaluation));
  if ("not" in condition) return !holds(condition.not, evaluation);
  if ("list" in condition) return person.contacts.some(({ list }) => list === condition.list);
  if ("field" in condition) return testField(condition, evaluation);
  if ("event" in condition) return testEvent(condition, circumstances);
  if ("topic" in condition) return person.topics.has(condition.topic) === condition.subscribed;
  if ("segment" in condition) return isIn(condition.segment, evaluation);
  if ("added_within_days" in condition) {
    const first = person.contacts.reduce((min, { createdAt }) => Math.min(min, createdAt), now + 1);
    return first <= now && first >= now - condition.added_within_days * DAY_MS;
  }
  if (condition.broadcast_id !== undefined)
    return person.broadcasts.has(`${condition.activity} ${condition.broadcast_id}`);
  const at = person.activity[condition.activity];
  return at !== undefined && (condition.within_days === undefined || at >= now - condition.within_days * DAY_MS);
}

function testEvent({ event: path, ...test }: { event: string } & ValueTest, { event, eventBefore }: Circumstances) {
  const value = valueAt(event ?? {}, path);
  return test.is === "same" ? isSame(value, valueAt(eventBefore ?? {}, path)) : testValue(value, test);
}

/** Returns whether a person is in a segment. One in too many others, or in itself, holds for no person. */
function isIn(id: string, evaluation: Evaluation): boolean {
  const depth = evaluation.depth + 1;
  const segment = evaluation.circumstances.segments.get(id);
  if (segment === undefined || depth > limits.segmentDepth) return false;
  const key = `${depth} ${id}`;
  const result = evaluation.known.get(key) ?? holds(segment, { ...evaluation, depth });
  evaluation.known.set(key, result);
  return result;
}

function testField({ field, ...test }: { field: string } & ValueTest, evaluation: Evaluation): boolean {
  const { person, texts, budget } = evaluation;
  const values = person.contacts.map((contact) => {
    if (field === "email") return contact.email;
    if (field === "name") return contact.name ?? undefined;
    return Object.hasOwn(contact.metadata, field) ? contact.metadata[field] : undefined;
  });
  for (const value of values) spend(budget, typeof value === "string" ? value.length : 1);
  if (budget.left <= 0) return false;
  // The opposites of `equals` and `exists` hold when no contact has the value.
  if (test.is === "not_equals") return !values.some((value) => testValue(value, { ...test, is: "equals" }, texts));
  if (test.is === "missing") return !values.some((value) => testValue(value, { is: "exists" }));
  return values.some((value) => testValue(value, test, texts));
}

/** Returns the value at a path such as `order.total`, or undefined. Own members only. */
function valueAt(data: Readonly<Record<string, unknown>>, path: string): unknown {
  if (Object.hasOwn(data, path)) return data[path];
  return path.split(".").reduce<unknown>((value, name) => {
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    return isObject && Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined;
  }, data);
}
