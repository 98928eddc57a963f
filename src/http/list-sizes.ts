import * as z from "zod";
import type { ValidationError } from "../lib/errors.ts";
import { formsAt } from "./string-limits.ts";

/** Entries that a schema checks one by one: the stack of zod overflows at about 100,000 errors. Fields that take any JSON have no bound. */
const MAX_ENTRIES = 10_000;

/** Finds a field of a body with more entries than are checked, before zod checks any. */
export function findLongList(schema: z.ZodType, value: unknown): ValidationError | null {
  if (typeof value !== "object" || value === null) return null;
  const { type } = schema.def;
  if (type !== "object") return null;
  for (const [key, field] of Object.entries((schema as z.ZodObject).shape)) {
    const entries = countEntries((value as Record<string, unknown>)[key]);
    if (entries > MAX_ENTRIES && checksEntries(field as z.ZodType))
      return { loc: [key], msg: `There are ${entries} entries; the limit is ${MAX_ENTRIES}`, type: "too_big" };
  }
  return null;
}

function countEntries(value: unknown): number {
  if (Array.isArray(value)) return value.length;
  return typeof value === "object" && value !== null ? Object.keys(value).length : 0;
}

/** Returns whether a schema checks the entries of a list or record, directly or as one of its forms. */
const checksEntries = (schema: z.ZodType): boolean =>
  Array.from(formsAt(schema, [])).some((form) => {
    const entry = form instanceof z.ZodArray ? form.element : form instanceof z.ZodRecord ? form.valueType : undefined;
    return entry !== undefined && !(entry instanceof z.ZodUnknown || entry instanceof z.ZodAny);
  });
