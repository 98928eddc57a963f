/** A JSON schema of the OpenAPI document, as far as TypeScript can express it. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: Schema | boolean;
  description?: string;
}

const primitives: Readonly<Record<string, string>> = {
  string: "string",
  integer: "number",
  number: "number",
  boolean: "boolean",
  null: "null",
};

/** Returns the name of a component that a reference names. */
export const refName = (ref: string) => ref.replace(/^.*\//, "");

/** Returns the TypeScript type of a JSON schema. `indent` is the indentation of the line that it is written in. */
export function toType(schema: Schema, indent = ""): string {
  if (schema.$ref) return refName(schema.$ref);
  if ("const" in schema) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  const union = schema.anyOf ?? schema.oneOf;
  // zod writes a string with a refinement as a string that is also "a string or anything".
  if (union && schema.type === undefined) return unionOf(union.map((one) => toType(one, indent)));
  const types = [schema.type ?? []].flat();
  return types.length === 0 ? "unknown" : unionOf(types.map((type) => ofType(type, schema, indent)));
}

function ofType(type: string, schema: Schema, indent: string): string {
  if (type === "array") return arrayOf(toType(schema.items ?? {}, indent));
  if (type !== "object") return primitives[type] ?? "unknown";
  if (schema.properties) return objectOf(schema, indent);
  const values =
    typeof schema.additionalProperties === "object" ? toType(schema.additionalProperties, indent) : "unknown";
  return `Record<string, ${values}>`;
}

/** Returns the members of an object type in braces, with a comment for each described one. */
export function objectOf({ properties = {}, required = [] }: Schema, indent: string): string {
  const inner = `${indent}  `;
  const members = Object.entries(properties).map(([name, schema]) => {
    const key = /^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name);
    return `${comment(schema.description, inner)}${inner}${key}${required.includes(name) ? "" : "?"}: ${toType(schema, inner)};\n`;
  });
  return members.length === 0 ? "Record<string, never>" : `{\n${members.join("")}${indent}}`;
}

/** Returns a documentation comment on a line of its own, or nothing. */
export function comment(text: string | undefined, indent: string): string {
  return text ? `${indent}/** ${text.replaceAll("*/", "* /").replace(/\s+/g, " ")} */\n` : "";
}

const unionOf = (types: string[]) => [...new Set(types)].join(" | ");

const arrayOf = (type: string) => (/ \| /.test(type) && !type.startsWith("{") ? `(${type})[]` : `${type}[]`);
