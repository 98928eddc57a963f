import type * as z from "zod";
import { parseFields } from "./page-routes.ts";
import { kindsOf } from "./string-limits.ts";

/** Name of a field of a schema. */
export type FieldName<Schema extends z.ZodObject> = keyof z.input<Schema> & string;

/** Returns the value of a field that is no text, as the schema takes it. Undefined: it is absent. */
type Read = (form: URLSearchParams, name: string) => unknown;

/**
 * Returns the function that reads the input of an API call from a form, whose fields have the names of the call's schema, and validates
 * it. A field that the form lacks stays absent. `readers` are for fields that are no text or number. A text on one line is trimmed, so
 * this is not for passwords. The function throws 422.
 */
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
