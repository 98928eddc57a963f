import * as z from "zod";
import { iso } from "./time.ts";

/** A time in a response: ISO 8601 in UTC. */
export const timestamp = z.string().meta({ format: "date-time" });

/** Returns the name of a schema in the document of the API, with an example. */
export const named = (ref: string, example: unknown) => ({ ref, examples: [example] });

type CamelCase<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name;

/** The value of a row for a field of the API: a time is in ms since 1970. */
type Stored<Name, Value> = Name extends `${string}_at` ? number | Extract<Value, null | undefined> : Value;

/** The row that a schema's fields are read from: `created_at` from `createdAt`. */
type RowOf<Fields> = { readonly [Name in keyof Fields as CamelCase<Name & string>]: Stored<Name, Fields[Name]> };

/** Returns the fields of a schema from a row: their names in snake case, times in ISO 8601. Other columns are left out. */
export function serialize<Shape extends z.ZodRawShape>(
  { shape }: z.ZodObject<Shape>,
  row: RowOf<z.output<z.ZodObject<Shape>>>,
): z.output<z.ZodObject<Shape>> {
  const columns = row as Readonly<Record<string, unknown>>;
  const fields = Object.keys(shape).map((name) => {
    const value = columns[name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())];
    return [name, name.endsWith("_at") && typeof value === "number" ? iso(value) : value];
  });
  return Object.fromEntries(fields) as z.output<z.ZodObject<Shape>>;
}
