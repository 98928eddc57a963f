import * as z from "zod";

/**
 * Returns the length of the longest string that a schema allows at `path`: that of the field, or of any field in it. 0 when none is
 * stated. A `maxLength` of meta counts like `max`: for long texts it is in bytes, of which a string never has fewer than UTF-16 units.
 */
export function longestString(schema: z.ZodType, path: readonly PropertyKey[] = []): number {
  let found = new Set([schema]);
  for (const part of path) found = new Set([...reach(found, formsOf)].flatMap((form) => membersOf(form, part)));
  const all = reach(found, (one) => [...formsOf(one), ...membersOf(one)]);
  return Math.max(0, ...Array.from(all, ownLength));
}

/** Returns the kinds of values that a schema takes, by their names in zod: `string`, `number`, `boolean`, `array`, `nullable`. */
export const kindsOf = (schema: z.ZodType): ReadonlySet<string> =>
  new Set(Array.from(reach([schema], formsOf), ({ def }) => def.type));

/** Returns `schemas` and all that `next` leads to. */
function reach(schemas: Iterable<z.ZodType>, next: (schema: z.ZodType) => z.ZodType[]): Set<z.ZodType> {
  const found = new Set(schemas);
  // A set also yields what is added meanwhile.
  for (const schema of found) for (const one of next(schema)) found.add(one);
  return found;
}

/** The parts of all kinds of schemas. */
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
