import type { RequiredScope } from "../../access/accounts/scopes.ts";
import type { Guide } from "./guides.ts";

/** The parts of an OpenAPI 3.1 document that the reference shows (https://spec.openapis.org/oas/v3.1.0). */
export interface ApiDocument {
  paths: Record<string, Record<string, DocumentOperation>>;
  components: { schemas: Record<string, Schema> };
}

/** Bodies by media type. */
export type Content = Record<string, { schema: Schema; example?: unknown }>;

interface DocumentOperation {
  operationId: string;
  summary: string;
  description?: string;
  tags: string[];
  /** Set on operations that an API key may not call. */
  security?: object[];
  parameters?: Parameter[];
  requestBody?: { content: Content };
  responses: Record<string, { description: string; content?: Content }>;
}

export interface Parameter {
  in: "path" | "query" | "header";
  name: string;
  required?: boolean;
  description?: string;
  schema: Schema;
  example?: unknown;
}

/** A JSON schema (draft 2020-12), with the keywords that the API uses. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  format?: string;
  description?: string;
  enum?: unknown[];
  const?: unknown;
  properties?: Record<string, Schema>;
  additionalProperties?: boolean | Schema;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  default?: unknown;
  example?: unknown;
  examples?: unknown[];
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  maxProperties?: number;
}

/** An operation with its method and path. */
export interface Operation extends DocumentOperation {
  /** In upper case. */
  method: string;
  /** With parameters as `{email_id}`. */
  path: string;
}

/** The operations on one kind of resource. */
export interface Noun {
  /** Name in URLs, such as `domain-transfers`. */
  slug: string;
  /** Such as "Domain transfers". */
  name: string;
  operations: Operation[];
}

/** All that the reference has: the operations, and the guides and rules beside them. */
export interface Contents {
  document: ApiDocument;
  nouns: readonly Noun[];
  guides: readonly Guide[];
}

/** The surroundings of the operations that a page or a text shows. */
export interface Source {
  document: ApiDocument;
  origin: string;
  needOf: (operation: Operation) => RequiredScope;
}

/** Returns the operations of a document by kind of resource, both in alphabetical order. */
export function readNouns(document: ApiDocument): Noun[] {
  const nouns = new Map<string, Noun>();
  for (const [path, methods] of Object.entries(document.paths))
    for (const [method, operation] of Object.entries(methods)) {
      const name = operation.tags[0] ?? "Other";
      const noun = nouns.get(name) ?? { slug: name.toLowerCase().replaceAll(" ", "-"), name, operations: [] };
      noun.operations.push({ ...operation, method: method.toUpperCase(), path });
      nouns.set(name, noun);
    }
  for (const { operations } of nouns.values()) operations.sort((a, b) => compare(a.path, b.path));
  return [...nouns.values()].sort((a, b) => compare(a.name, b.name));
}

const compare = (a: string, b: string) => a.localeCompare(b, "en");

/** Returns the operation with this id, or undefined. */
export const findOperation = (nouns: readonly Noun[], operationId: string): Operation | undefined =>
  nouns.flatMap(({ operations }) => operations).find((operation) => operation.operationId === operationId);

/** A response of an operation, with its status. */
export type StatusResponse = [status: string, response: DocumentOperation["responses"][string]];

/** Returns the first successful response of an operation. */
export const successOf = ({ responses }: Pick<Operation, "responses">): StatusResponse | undefined =>
  Object.entries(responses).find(([status]) => status.startsWith("2"));

/** Returns the responses that are no success, redirects included. */
export const errorsOf = ({ responses }: Pick<Operation, "responses">): StatusResponse[] =>
  Object.entries(responses).filter(([status]) => Number(status) >= 300);
