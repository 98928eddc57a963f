import { z } from "zod";
import { apiWith } from "./workspace.ts";

/** A JSON schema of the OpenAPI document. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  required?: string[];
  properties?: Record<string, Schema>;
  items?: Schema;
  examples?: unknown[];
  example?: unknown;
}

/** A response of an operation. */
interface Reply {
  description: string;
  headers?: Record<string, { description: string }>;
  content?: Record<string, { schema: Schema; example?: unknown }>;
}

export interface Operation {
  operationId: string;
  summary?: string;
  security?: Record<string, string[]>[];
  parameters?: {
    in: string;
    name: string;
    required?: boolean;
    description?: string;
    schema: Schema;
    example?: string;
  }[];
  requestBody?: { required?: boolean; content: Record<string, { schema: Schema }> };
  responses: Record<string, Reply>;
}

export interface OpenApiDocument {
  openapi: string;
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema>; securitySchemes: Record<string, unknown> };
  security: unknown[];
}

/** Reads the OpenAPI document from the app. */
export async function readOpenApi(): Promise<OpenApiDocument> {
  const response = await apiWith(null).get("/openapi.json");
  if (response.status !== 200)
    throw new Error(`/openapi.json responded with ${response.status}: ${await response.text()}`);
  return response.json<OpenApiDocument>();
}

/** Returns every operation of the document with its name, `METHOD /path/{parameter}`. */
export function listOperations(document: OpenApiDocument): [string, Operation][] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): [string, Operation] => [
      `${method.toUpperCase()} ${path}`,
      operation,
    ]),
  );
}

/** Returns the JSON schema of a request or response body, or undefined. */
export const bodySchema = (body: { content?: Record<string, { schema: Schema }> } | undefined) =>
  body?.content?.["application/json"]?.schema;

/** Replaces every reference of a schema by the component. */
export function dereference(document: OpenApiDocument, schema: Schema): Schema {
  const text = JSON.stringify(schema, (_, value: unknown) => {
    const ref = (value as Schema | null)?.$ref;
    return ref ? dereference(document, document.components.schemas[ref.replace(/^.*\//, "")] ?? {}) : value;
  });
  return JSON.parse(text) as Schema;
}

/** Returns the first example of a schema. The example of a list is a list of its item's example. */
export function exampleOf(schema: Schema): unknown {
  if (schema.type === "array" && schema.items) return [exampleOf(schema.items)];
  return schema.examples?.[0] ?? schema.example;
}

/** Returns why a JSON schema refuses a value, or null. */
export function refusalOf(schema: Schema, value: unknown): string | null {
  const result = z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]).safeParse(value);
  return result.success ? null : z.prettifyError(result.error);
}

/** Returns whether a status is a success: 2xx, or 101 of a WebSocket. */
export const isSuccess = (status: string): boolean => status.startsWith("2") || status === "101";
