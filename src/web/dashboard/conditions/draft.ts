import {
  type Condition,
  Conditions,
  type comparisons,
  conditionLimits,
  type questions,
} from "../../../audience/conditions/index.ts";
import { tryOr } from "../../../lib/try-or.ts";

/** Conditions as a form has them: the texts of fields, which need not be valid. Pure. */

/** How the parts of a group are joined. `none` is `not`, of one condition or of `any` of several. */
export const GROUPS = { all: "All of these", any: "One of these", none: "None of these" } as const;
type GroupKind = keyof typeof GROUPS;

/** Kinds of conditions without others inside, in the order in which they are offered. */
export const LEAVES = {
  field: "A field of the contact",
  event: "Data of the event",
  list: "A list",
  topic: "A topic",
  activity: "Received, opened or clicked",
  added_within_days: "When the person was added",
  segment: "Another segment",
} as const;
type LeafKind = keyof typeof LEAVES;

/** The fields of each kind, named as those of a condition. */
const FIELDS: Readonly<Record<LeafKind, readonly string[]>> = {
  field: ["field", "is", "value"],
  event: ["event", "is", "value"],
  list: ["list"],
  topic: ["topic", "subscribed"],
  activity: ["activity", "within_days", "broadcast_id"],
  added_within_days: ["added_within_days"],
  segment: ["segment"],
};

export interface DraftGroup {
  kind: GroupKind;
  parts: Draft[];
}

export interface DraftLeaf {
  kind: LeafKind;
  values: Readonly<Record<string, string>>;
}

export type Draft = DraftGroup | DraftLeaf;

export const isGroup = (draft: Draft): draft is DraftGroup => "parts" in draft;

/** Most parts of a group that are read from a form. The schema refuses more conditions than the limit. */
const MAX_PARTS = conditionLimits.conditions + 10;

/** Returns a group without conditions. */
export const emptyDraft = (): DraftGroup => ({ kind: "all", parts: [] });

/** Returns the draft of stored conditions. The outermost is always a group. */
export function toDraft(condition: Condition | undefined): DraftGroup {
  if (condition === undefined) return emptyDraft();
  const draft = draftOf(condition);
  return isGroup(draft) ? draft : { kind: "all", parts: [draft] };
}

function draftOf(condition: Condition): Draft {
  if ("all" in condition) return { kind: "all", parts: condition.all.map(draftOf) };
  if ("any" in condition) return { kind: "any", parts: condition.any.map(draftOf) };
  if ("not" in condition) {
    const { not } = condition;
    return { kind: "none", parts: "any" in not && not.any.length > 1 ? not.any.map(draftOf) : [draftOf(not)] };
  }
  const values = Object.entries(condition).map(([name, value]) => [name, value === undefined ? "" : String(value)]);
  return { kind: kindOf(condition), values: Object.fromEntries(values) };
}

const kindOf = (condition: object): LeafKind =>
  (Object.keys(LEAVES) as LeafKind[]).find((kind) => Object.hasOwn(condition, kind)) ?? "field";

/** Returns the draft of a form whose fields begin with `name`. */
export function readDraft(form: URLSearchParams, name: string): DraftGroup {
  const draft = readAt(form, name, 1);
  return draft && isGroup(draft) ? draft : emptyDraft();
}

function readAt(form: URLSearchParams, path: string, level: number): Draft | null {
  const kind = form.get(`${path}.kind`);
  if (kind === null || level > conditionLimits.depth + 1) return null;
  if (Object.hasOwn(GROUPS, kind)) {
    const parts: Draft[] = [];
    for (let index = 0; index < MAX_PARTS; index++) {
      const part = readAt(form, `${path}.${index}`, level + 1);
      if (part === null) break;
      parts.push(part);
    }
    return { kind: kind as GroupKind, parts };
  }
  if (!Object.hasOwn(LEAVES, kind)) return null;
  const values = FIELDS[kind as LeafKind].map((field) => [field, (form.get(`${path}.${field}`) ?? "").trim()]);
  return { kind: kind as LeafKind, values: Object.fromEntries(values) };
}

/** Conditions of a draft, which the schema has not checked, with the place in the form of each condition by its path. */
export interface Built {
  /** undefined: there is no condition. */
  condition: unknown;
  places: ReadonlyMap<string, string>;
}

/** Returns the conditions of a draft. A group of one condition at the outermost level is that condition. `name`: of its fields. */
export function fromDraft(draft: DraftGroup, name: string): Built {
  const places = new Map<string, string>();
  const [only, ...others] = draft.parts;
  if (only === undefined) return { condition: undefined, places };
  const isAlone = others.length === 0 && draft.kind !== "none";
  const condition = isAlone ? build(only, `${name}.0`, [], places) : build(draft, name, [], places);
  return { condition, places };
}

type Path = readonly (string | number)[];

function build(draft: Draft, place: string, path: Path, places: Map<string, string>): unknown {
  places.set(path.join("."), place);
  if (!isGroup(draft)) return buildLeaf(draft);
  const { kind, parts } = draft;
  if (kind !== "none")
    return { [kind]: parts.map((part, index) => build(part, `${place}.${index}`, [...path, kind, index], places)) };
  const [only, ...others] = parts;
  if (only !== undefined && others.length === 0) return { not: build(only, `${place}.0`, [...path, "not"], places) };
  return { not: build({ kind: "any", parts }, place, [...path, "not"], places) };
}

const COMPARED_AS_NUMBERS = ["equals", "not_equals", "contains", "greater", "less"];

function buildLeaf({ kind, values }: DraftLeaf): unknown {
  const text = (field: string) => values[field] ?? "";
  const days = (field: string) => (text(field) === "" ? undefined : Number(text(field)));
  switch (kind) {
    case "field":
    case "event": {
      const is = text("is") as (typeof comparisons)[number] | (typeof questions)[number];
      const test = { [kind]: text(kind), is };
      if (is === "exists" || is === "missing" || is === "same") return test;
      return { ...test, value: COMPARED_AS_NUMBERS.includes(is) ? scalarOf(text("value")) : text("value") };
    }
    case "topic":
      return { topic: text("topic"), subscribed: text("subscribed") !== "false" };
    case "activity": {
      const within = text("within_days") === "" ? {} : { within_days: days("within_days") };
      return { activity: text("activity"), ...within, ...optional("broadcast_id", text("broadcast_id")) };
    }
    case "added_within_days":
      return { added_within_days: days("added_within_days") };
    default:
      return { [kind]: text(kind) };
  }
}

const optional = (field: string, value: string) => (value === "" ? {} : { [field]: value });

/** Returns the number that a text is written as, or the text. A number also equals the same digits as text in metadata. */
function scalarOf(text: string): string | number {
  const number = Number(text);
  return Number.isFinite(number) && String(number) === text ? number : text;
}

/** Returns the field of the form that an error about conditions is about. `path`: inside them. */
export function placeOf(places: ReadonlyMap<string, string>, path: Path, name: string): string {
  for (let length = path.length; length >= 0; length--) {
    const place = places.get(path.slice(0, length).join("."));
    const [field] = path.slice(length);
    if (place !== undefined && typeof field === "string" && Object.values(FIELDS).some((all) => all.includes(field)))
      return `${place}.${field}`;
    if (place !== undefined) return `${place}.kind`;
  }
  return `${name}.kind`;
}

/** Returns a draft after a button: `add <path>`, `group <path>`, `remove <path>` or `json <name>`; null for another one. */
export function change(draft: DraftGroup, name: string, action: string, form: URLSearchParams): DraftGroup | null {
  const [verb = "", path = ""] = action.split(" ");
  if (path !== name && !path.startsWith(`${name}.`)) return null;
  if (verb === "json") return readJson(form.get(`${name}.json`) ?? "") ?? draft;
  const indexes = path
    .slice(name.length)
    .split(".")
    .flatMap((index) => (index === "" ? [] : [Number(index)]));
  const chosen = form.get(`${path}.add`) ?? "";
  const kind = Object.hasOwn(LEAVES, chosen) ? (chosen as LeafKind) : "field";
  if (verb === "add") return append(draft, indexes, { kind, values: {} });
  if (verb === "group") return append(draft, indexes, { kind: "any", parts: [{ kind: "field", values: {} }] });
  return verb === "remove" ? remove(draft, indexes) : draft;
}

const append = (draft: DraftGroup, indexes: readonly number[], part: Draft): DraftGroup =>
  inGroup(draft, indexes, (group) => ({ ...group, parts: [...group.parts, part] }));

const remove = (draft: DraftGroup, indexes: readonly number[]): DraftGroup =>
  inGroup(draft, indexes.slice(0, -1), (group) => ({
    ...group,
    parts: group.parts.filter((_, index) => index !== indexes.at(-1)),
  }));

function inGroup(
  draft: DraftGroup,
  [index, ...rest]: readonly number[],
  to: (group: DraftGroup) => DraftGroup,
): DraftGroup {
  if (index === undefined) return to(draft);
  const part = draft.parts[index];
  if (!part || !isGroup(part)) return draft;
  return { ...draft, parts: draft.parts.with(index, inGroup(part, rest, to)) };
}

const readJson = (text: string): DraftGroup | null => tryOr(() => toDraft(Conditions.parse(JSON.parse(text))), null);
