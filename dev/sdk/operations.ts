import { refName, type Schema, toType } from "./schema-types.ts";

interface Content {
  content?: Record<string, { schema: Schema }>;
}

interface Operation {
  operationId: string;
  summary: string;
  security?: object[];
  parameters?: { in: string; name: string; required?: boolean; schema: Schema }[];
  requestBody?: Content & { required?: boolean };
  responses: Record<string, Content>;
}

export interface Document {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
}

/** An operation of the client. */
export interface ClientOperation {
  name: string;
  method: string;
  path: string;
  summary: string;
  pathParameters: { name: string; type: string }[];
  query: Operation["parameters"];
  /** `file`: the body is multipart/form-data with one file. `blob`: the body is a file, of the media type that the file has. */
  body: { kind: "json" | "file" | "blob"; type: string; required: boolean } | null;
  /** `raw`: the response is not JSON. */
  response: { kind: "json" | "raw" | "none"; type: string };
  takesIdempotencyKey: boolean;
  /** The list in the response of a paged operation: "" when the response is the list, otherwise the name of its property. */
  items: { property: string; type: string } | null;
}

/** Parameters that name the place of a page. */
const PLACES = ["before", "after", "page", "offset"];

/** Returns the operations of the document that an API key may call, in its order. */
export function clientOperations(document: Document): ClientOperation[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      // Operations that an API key may not call have a security of their own.
      .filter(([, { security }]) => path.startsWith("/v1/") && security === undefined)
      // A WebSocket has no response.
      .filter(([, { responses }]) => !("101" in responses))
      .map(([method, operation]) => toClientOperation(document, method.toUpperCase(), path, operation)),
  );
}

function toClientOperation(document: Document, method: string, path: string, operation: Operation): ClientOperation {
  const parameters = operation.parameters ?? [];
  const named = (place: string) => parameters.filter((parameter) => parameter.in === place);
  return {
    name: operation.operationId,
    method,
    path,
    summary: operation.summary,
    pathParameters: [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => {
      const schema = named("path").find((parameter) => parameter.name === name)?.schema;
      return { name, type: schema ? toType(schema) : "string" };
    }),
    query: named("query"),
    body: bodyOf(operation),
    response: responseOf(operation),
    takesIdempotencyKey: named("header").some(({ name }) => name === "Idempotency-Key"),
    items:
      method === "GET" && named("query").some(({ name }) => PLACES.includes(name))
        ? itemsOf(document, operation)
        : null,
  };
}

function bodyOf({ requestBody }: Operation): ClientOperation["body"] {
  const [mediaType, content] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  if (!content) return null;
  const required = requestBody?.required === true;
  if (mediaType === "multipart/form-data") return { kind: "file", type: "Blob", required };
  if (mediaType !== "application/json") return { kind: "blob", type: "Blob", required };
  return { kind: "json", type: toType(content.schema, "  "), required };
}

function responseOf({ responses }: Operation): ClientOperation["response"] {
  const contents = Object.entries(responses).filter(([status]) => status.startsWith("2"));
  const types = contents.map(([, { content }]): ClientOperation["response"] => {
    const [mediaType, body] = Object.entries(content ?? {})[0] ?? [];
    if (!body) return { kind: "none", type: "null" };
    return mediaType === "application/json"
      ? { kind: "json", type: toType(body.schema, "  ") }
      : { kind: "raw", type: "Response" };
  });
  const kind = types.find((one) => one.kind !== "none")?.kind ?? "none";
  return { kind, type: [...new Set(types.map(({ type }) => type))].join(" | ") };
}

function itemsOf(document: Document, { responses }: Operation): ClientOperation["items"] {
  const schema = responses[200]?.content?.["application/json"]?.schema;
  const response = schema?.$ref ? document.components.schemas[refName(schema.$ref)] : schema;
  if (response?.type === "array") return { property: "", type: toType(response.items ?? {}, "  ") };
  const [found] = Object.entries(response?.properties ?? {}).filter(([, { type }]) => type === "array");
  return found ? { property: found[0], type: toType(found[1].items ?? {}, "  ") } : null;
}
