import type { ApiDocument, Schema } from "./document.ts";

/** Follows references, and takes the value of a schema that also allows null. */
export function resolve(document: ApiDocument, schema: Schema): { schema: Schema; isNullable: boolean } {
  const name = schema.$ref?.split("/").at(-1);
  const target = name === undefined ? schema : (document.components.schemas[name] ?? {});
  const description = schema.description ?? target.description;
  const whole = { ...target, ...(description === undefined ? {} : { description }) };
  const variants = whole.anyOf ?? whole.oneOf ?? [];
  const types = typesOf(whole).filter((type) => type !== "null");
  const isNullable = typesOf(whole).includes("null") || variants.some((variant) => variant.type === "null");
  const values = variants.filter((variant) => variant.type !== "null");
  // Variants of an object that has fields itself only say which of them are required together.
  if (types.length > 0 || values[0] === undefined) return { schema: { ...whole, type: types }, isNullable };
  const value = resolve(document, values[0]);
  const { anyOf: _, oneOf: __, ...around } = whole;
  return {
    schema: { ...value.schema, ...around, ...typeOf(value.schema) },
    isNullable: isNullable || value.isNullable,
  };
}

const typesOf = ({ type = [] }: Schema) => (typeof type === "string" ? [type] : type);
const typeOf = ({ type }: Schema) => (type === undefined ? {} : { type });

/** A field of a body, or a parameter. */
export interface Field {
  /** Path in the body, such as `to[].email`. */
  name: string;
  type: string;
  isRequired: boolean;
  /** Such as "1 to 64 characters". Empty: none. */
  limits: string;
  description: string;
  /** Those of the object, or of each object of the array. */
  fields: Field[];
}

/** Deepest nesting that is shown. */
const MAX_DEPTH = 4;

/** Returns the fields of a schema, each with those in it. A value that is no object has none. */
export function toFieldTree(document: ApiDocument, of: Schema, prefix = "", depth = 0): Field[] {
  const { schema } = resolve(document, of);
  if (schema.items) return toFieldTree(document, schema.items, `${prefix}[]`, depth);
  if (depth === MAX_DEPTH) return [];
  return Object.entries(schema.properties ?? {}).map(([key, property]) => {
    const name = prefix === "" ? key : `${prefix}.${key}`;
    const isRequired = schema.required?.includes(key) ?? false;
    return {
      ...toField(document, name, property, isRequired),
      fields: toFieldTree(document, property, name, depth + 1),
    };
  });
}

/** Returns the fields of a schema and of the objects in it, in one list. */
export const toFields = (document: ApiDocument, of: Schema): Field[] => flatten(toFieldTree(document, of));

const flatten = (fields: readonly Field[]): Field[] => fields.flatMap((field) => [field, ...flatten(field.fields)]);

/** Returns one field without those in it. */
export function toField(document: ApiDocument, name: string, of: Schema, isRequired: boolean): Field {
  const { schema, isNullable } = resolve(document, of);
  const type = typeText(document, schema) + (isNullable ? " or null" : "");
  const limits = limitsOf(document, schema);
  return { name, type, isRequired, limits, description: schema.description ?? "", fields: [] };
}

function typeText(document: ApiDocument, schema: Schema): string {
  if (schema.enum) return `one of ${schema.enum.map((value) => JSON.stringify(value)).join(", ")}`;
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.items) return `array of ${plural(typeText(document, resolve(document, schema.items).schema))}`;
  const formats: Record<string, string> = {
    "date-time": "time (ISO 8601)",
    uuid: "id",
    binary: "file",
    email: "email address",
  };
  return formats[schema.format ?? ""] ?? (typesOf(schema).join(" or ") || "any value");
}

/** Turns "string" into "strings"; leaves longer descriptions as they are. */
const plural = (type: string) => (/^\w+$/.test(type) ? `${type}s` : type);

function limitsOf(document: ApiDocument, schema: Schema): string {
  const items = schema.items ? resolve(document, schema.items).schema : {};
  const limits = [
    range(schema.minLength, schema.maxLength, "characters"),
    range(items.minLength, items.maxLength, "characters each"),
    range(schema.minItems, schema.maxItems, "items"),
    range(undefined, schema.maxProperties, "entries"),
    range(schema.minimum, schema.maximum, ""),
    schema.default === undefined ? "" : `default ${JSON.stringify(schema.default)}`,
  ];
  return limits.filter((limit) => limit !== "").join(", ");
}

function range(min: number | undefined, max: number | undefined, unit: string): string {
  // zod gives every integer the range of a double.
  const from = min === undefined || min <= Number.MIN_SAFE_INTEGER ? null : min.toLocaleString("en");
  const to = max === undefined || max >= Number.MAX_SAFE_INTEGER ? null : max.toLocaleString("en");
  if (from === null && to === null) return "";
  const text =
    to === null ? `at least ${from}` : from === null ? `at most ${to}` : from === to ? from : `${from} to ${to}`;
  return `${text} ${unit}`.trim();
}
