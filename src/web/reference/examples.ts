import type { ApiDocument, Content, Schema } from "./document.ts";
import { resolve } from "./schemas.ts";

/** Returns an example of a value: that of the schema, or one made of the examples of its fields. */
export function toExample(document: ApiDocument, of: Schema): unknown {
  const { schema, isNullable } = resolve(document, of);
  const given = schema.examples?.[0] ?? schema.example ?? schema.default ?? schema.const ?? schema.enum?.[0];
  if (given !== undefined) return given;
  if (schema.properties) {
    const fields = Object.entries(schema.properties).map(([name, field]) => [name, toExample(document, field)]);
    return Object.fromEntries(fields);
  }
  if (schema.items) return [toExample(document, schema.items)];
  if (isNullable) return null;
  return exampleOfType(schema);
}

/** Returns the examples of a body after the first, with titles such as "With attachments", after the fields that only they have. */
export function furtherExamples(document: ApiDocument, of: Schema): { title: string; value: unknown }[] {
  const [first, ...others] = resolve(document, of).schema.examples ?? [];
  const known = new Set(Object.keys((first ?? {}) as object));
  return others.map((value) => {
    const own = Object.keys(value as object).filter((name) => !known.has(name));
    return { title: `With ${own.join(", ")}`, value };
  });
}

/** Returns the body of an error: the example of its response. */
export function errorExample(document: ApiDocument, content: Content | undefined): unknown {
  const json = content?.["application/json"];
  return json && (json.example ?? toExample(document, json.schema));
}

function exampleOfType({ type, format, minimum }: Schema): unknown {
  const [first] = typeof type === "string" ? [type] : (type ?? []);
  if (format === "uuid") return "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a01";
  if (format === "date-time") return "2026-12-01T09:00:00.000Z";
  if (first === "integer" || first === "number") return Math.max(minimum ?? 1, 1);
  if (first === "boolean") return true;
  return first === "object" ? {} : "text";
}
