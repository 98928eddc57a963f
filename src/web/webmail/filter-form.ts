import { invalidField } from "../../lib/errors.ts";
import type { FilterOut } from "../../mailboxes/inbox/index.ts";

/** The fields of the form of a filter, as text. */
export interface FilterForm {
  name: string;
  isActive: boolean;
  mode: string;
  conditions: { field: string; op: string; value: string }[];
  /** Empty: the message stays. `discard`, or `in:` and the name of a folder. */
  place: string;
  labels: string[];
  flag: boolean;
  read: boolean;
  stop: boolean;
  /** Addresses separated by commas. */
  forwards: string;
}

export const FIELDS: Readonly<Record<string, string>> = {
  from: "From",
  to: "To or Cc",
  subject: "Subject",
  list_id: "Mailing list",
  size: "Size",
};

export const OPERATIONS: Readonly<Record<string, string>> = {
  contains: "contains",
  is: "is",
  over: "is larger than",
  under: "is smaller than",
};

/** Returns the form of a new filter with the conditions of a query, such as `from=ada@example.org`. */
export const newFilterForm = (query: Readonly<Record<string, string>>): FilterForm => ({
  ...readFilterForm(new URLSearchParams({ is_active: "on", mode: "all" })),
  conditions: ["from", "list_id", "subject"].flatMap((field) =>
    query[field] ? [{ field, op: field === "subject" ? "contains" : "is", value: query[field].slice(0, 998) }] : [],
  ),
});

/** Returns the form of a stored filter. */
export function toFilterForm({ name, match, actions, is_active: isActive }: FilterOut): FilterForm {
  const has = (type: string) => actions.some((action) => action.type === type);
  const placed = actions.find(({ type }) => type === "move" || type === "discard");
  return {
    name: name ?? "",
    isActive,
    mode: match.mode,
    conditions: match.conditions.map(({ field, op, value }) => ({
      field,
      op,
      value: typeof value === "number" ? writeBytes(value) : value,
    })),
    place: placed === undefined ? "" : placed.type === "move" ? `in:${placed.folder}` : "discard",
    labels: actions.flatMap((action) => (action.type === "label" ? [action.label_id] : [])),
    flag: has("flag"),
    read: has("mark_read"),
    stop: has("stop"),
    forwards: actions.flatMap((action) => (action.type === "forward" ? [action.address] : [])).join(", "),
  };
}

/** Most rows that a form may have. One more condition is refused by the API's schema. */
const MAX_ROWS = 21;

/** Reads the fields of a submitted form. */
export function readFilterForm(fields: URLSearchParams): FilterForm {
  const text = (name: string) => fields.get(name) ?? "";
  const rows = Array.from({ length: MAX_ROWS }, (_, index) => `condition.${index}`);
  return {
    name: text("name").trim(),
    isActive: fields.has("is_active"),
    mode: text("mode"),
    conditions: rows
      .filter((row) => fields.has(`${row}.value`))
      .map((row) => ({ field: text(`${row}.field`), op: text(`${row}.op`), value: text(`${row}.value`) })),
    place: text("place"),
    labels: fields.getAll("label"),
    flag: fields.has("flag"),
    read: fields.has("mark_read"),
    stop: fields.has("stop"),
    forwards: text("forwards"),
  };
}

/** Returns what the API takes for a form. Rows without a value are left out. Throws 422 for what no filter can be. */
export function toFilterInput(form: FilterForm) {
  const conditions = form.conditions.flatMap(
    ({ field, op, value }, index): { field: string; op: string; value: string | number }[] => {
      if (value.trim() === "") return [];
      const isText = op === "contains" || op === "is";
      if (field !== "size" && !isText)
        throw invalidField(`condition.${index}.value`, "A text is compared with “contains” or “is”");
      if (field !== "size") return [{ field, op, value }];
      const bytes = readBytes(value);
      if (isText || bytes === null)
        throw invalidField(
          `condition.${index}.value`,
          "A size is larger or smaller than a number of KB or MB, such as 500 KB",
        );
      return [{ field, op, value: bytes }];
    },
  );
  if (conditions.length === 0) throw invalidField("condition.0.value", "Fill in at least one condition");
  const forwards = form.forwards.split(/[,;\s]+/).filter((address) => address !== "");
  const folder = form.place.startsWith("in:") ? form.place.slice(3) : null;
  const actions = [
    ...(folder === null ? [] : [{ type: "move", folder }]),
    ...(form.place === "discard" ? [{ type: "discard" }] : []),
    ...form.labels.map((label_id) => ({ type: "label", label_id })),
    ...(form.flag ? [{ type: "flag" }] : []),
    ...(form.read ? [{ type: "mark_read" }] : []),
    ...forwards.map((address) => ({ type: "forward", address })),
    ...(form.stop ? [{ type: "stop" }] : []),
  ];
  if (actions.length === 0) throw invalidField("place", "Choose at least one action");
  return { name: form.name || null, is_active: form.isActive, match: { mode: form.mode, conditions }, actions };
}

const UNITS = { B: 1, KB: 1_000, MB: 1_000_000 } as const;

/** Returns the bytes of a text such as `500 KB`, or null. A number alone is in KB. */
function readBytes(text: string): number | null {
  const [, number, unit = "KB"] = /^(\d{1,9}(?:\.\d{1,3})?)\s*(B|KB|MB)?$/i.exec(text.trim()) ?? [];
  return number === undefined ? null : Math.round(Number(number) * UNITS[unit.toUpperCase() as keyof typeof UNITS]);
}

/** Returns bytes as `readBytes` reads them, in the largest unit that is exact. */
export function writeBytes(bytes: number): string {
  if (bytes > 0 && bytes % UNITS.MB === 0) return `${bytes / UNITS.MB} MB`;
  return bytes % UNITS.KB === 0 ? `${bytes / UNITS.KB} KB` : `${bytes} B`;
}
