import type * as z from "zod";
import { parseFields } from "./page-routes.ts";
import { kindsOf } from "./string-limits.ts";

/** Name of a field of a schema. */
export type FieldName<Schema extends z.ZodObject> = keyof z.input<Schema> & string;

/** Returns the value of a field that is no text, as the schema takes it. Undefined: it is absent. */
type Read = (form: URLSearchParams, name: string) => unknown;

/** Returns the function that reads and validates the input of an API call from a form. It trims texts of one line: not for passwords. */
export const inputOf =
  <Schema extends z.ZodObject>(schema: Schema, readers: { [Name in FieldName<Schema>]?: Read } = {}) =>
  (form: URLSearchParams): z.output<Schema> => {
    const input = Object.keys(schema.shape).flatMap((name): [string, unknown][] => {
      const read = (readers as Record<string, Read | undefined>)[name];
      const value = read ? read(form, name) : toValue(form.get(name), kindsOf(schema, [name]));
      return value === undefined ? [] : [[name, value]];
    });
    return parseFields(schema, Object.fromEntries(input));
  };

/** Reads a box to check. */
export const isChecked: Read = (form, name) => form.has(name);

/** Returns a text as a value of one of `kinds`. An empty text is null where the field takes null. */
function toValue(text: string | null, kinds: ReadonlySet<string>): unknown {
  // Browsers end the lines of a text with CR LF.
  const lines = text?.replaceAll("\r\n", "\n");
  const value = lines?.includes("\n") ? lines : lines?.trim();
  if (value === "" && kinds.has("nullable")) return null;
  if (value !== undefined && kinds.has("boolean")) return value === "true";
  return value && kinds.has("number") ? Number(value) : value;
}
