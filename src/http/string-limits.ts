import * as z from "zod";

/**
 * Returns the length of the longest string that a schema allows at `path`: that of the field, or of any field in it. 0 when none is
 * stated. A `maxLength` of meta counts like `max`: for long texts it is in bytes, of which a string never has fewer than UTF-16 units.
 */
export function longestString(schema: z.ZodType, path: readonly PropertyKey[] = []): number {
  const all = reach(formsAt(schema, path), (one) => [...formsOf(one), ...membersOf(one)]);
  return Math.max(0, ...Array.from(all, ownLength));
}

/** Returns the kinds of values that a schema takes at `path`, by their names in zod: `string`, `number`, `boolean`, `nullable`. */
export const kindsOf = (schema: z.ZodType, path: readonly PropertyKey[]): ReadonlySet<string> =>
  new Set(Array.from(formsAt(schema, path), ({ def }) => def.type));

/** Returns the length of a string at `path` that the API's document states, or undefined. */
export const statedLength = (schema: z.ZodType, path: readonly PropertyKey[]): number | undefined =>
  Array.from(formsAt(schema, path), ownLength).find((length) => length > 0);

/** Returns the schemas that check the value at `path`, the outermost first. */
export function formsAt(schema: z.ZodType, path: readonly PropertyKey[]): Set<z.ZodType> {
  let found = reach([schema], formsOf);
  for (const part of path) {
    const members = Array.from(found).flatMap((form) => membersOf(form, part));
    found = reach(members, formsOf);
  }
  return found;
}

/** Returns `schemas` and all that `next` leads to. */
function reach(schemas: Iterable<z.ZodType>, next: (schema: z.ZodType) => z.ZodType[]): Set<z.ZodType> {
  const found = new Set(schemas);
  // A set also yields what is added meanwhile.
  for (const schema of found) for (const one of next(schema)) found.add(one);
  return found;
}

interface Parts {
  innerType?: z.ZodType;
  in?: z.ZodType;
  out?: z.ZodType;
  options?: z.ZodType[];
  left?: z.ZodType;
  right?: z.ZodType;
  getter?: () => z.ZodType;
  shape?: Record<string, z.ZodType>;
  catchall?: z.ZodType;
  element?: z.ZodType;
  valueType?: z.ZodType;
  items?: z.ZodType[];
  rest?: z.ZodType | null;
}

/** Returns the schemas that check the same value as `schema`. */
function formsOf(schema: z.ZodType): z.ZodType[] {
  const { innerType, in: input, out, options = [], left, right, getter } = schema.def as Parts;
  return present([innerType, input, out, ...options, left, right, getter?.()]);
}

/** Returns the schemas of the member of a value at `part`, or of all members. */
function membersOf(schema: z.ZodType, part?: PropertyKey): z.ZodType[] {
  const { shape = {}, catchall, element, valueType, items = [], rest } = schema.def as Parts;
  const fields = part === undefined ? Object.values(shape) : [Object.hasOwn(shape, part) ? shape[String(part)] : null];
  return present([...fields, catchall, element, valueType, ...items, rest]);
}

const present = (schemas: (z.ZodType | null | undefined)[]) => schemas.filter((one) => one instanceof z.ZodType);

function ownLength(schema: z.ZodType): number {
  const stated = schema.meta()?.maxLength;
  const checked = schema instanceof z.ZodString ? schema.maxLength : null;
  return Math.max(typeof stated === "number" ? stated : 0, checked ?? 0);
}
