import type * as z from "zod";
import { parseFields } from "./page-routes.ts";
import { kindsOf } from "./string-limits.ts";

/** Name of a field of a schema. */
export type FieldName<Schema extends z.ZodObject> = keyof z.input<Schema> & string;

/**
 * Returns the function that reads the input of an API call from a form, whose fields have the names of the call's schema, and validates it. A field
 * that the form lacks stays absent, except those of `checks`: a box that is not checked is false, and a list of which nothing is chosen is
 * empty. A text on one line is trimmed, so this is not for passwords. Throws 422.
 */
export const inputOf =
  <Schema extends z.ZodObject>(schema: Schema, ...checks: FieldName<Schema>[]) =>
  (form: URLSearchParams): z.output<Schema> => {
    const isCheck = (name: string) => (checks as readonly string[]).includes(name);
    const input = Object.entries<z.ZodType>(schema.shape).flatMap(([name, field]): [string, unknown][] => {
      const kinds = kindsOf(field);
      if (isCheck(name)) return [[name, kinds.has("array") ? form.getAll(name) : form.has(name)]];
      const text = form.get(name);
      return text === null ? [] : [[name, toValue(text, kinds)]];
    });
    return parseFields(schema, Object.fromEntries(input));
  };

/** Returns the value of a text for a field that takes values of some kinds. An empty text is null where the field takes null. */
function toValue(text: string, kinds: ReadonlySet<string>): unknown {
  // Browsers end the lines of a text with CR LF.
  const lines = text.replaceAll("\r\n", "\n");
  const value = lines.includes("\n") ? lines : lines.trim();
  if (value === "" && kinds.has("nullable")) return null;
  if (kinds.has("boolean")) return value === "true";
  return value !== "" && kinds.has("number") ? Number(value) : value;
}
