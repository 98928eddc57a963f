import { resolver } from "hono-openapi";
import * as z from "zod";

const ValidationError = z
  .object({
    loc: z
      .array(z.union([z.string(), z.int()]))
      .describe("Location of the value: body, query, path or header, then the names and indexes below it."),
    msg: z.string(),
    type: z.string(),
  })
  .meta({ ref: "ValidationError" });
const HTTPProblem = z.object({ detail: z.string() }).meta({ ref: "HTTPProblem" });
const ValidationProblem = z.object({ detail: z.array(ValidationError) }).meta({ ref: "ValidationProblem" });

const rateLimitHeaders = {
  "Retry-After": { description: "Seconds after which to retry.", schema: { type: "integer" } },
  "RateLimit-Policy": {
    description: "The exceeded limit: its name, `q` calls in `w` seconds.",
    schema: { type: "string" },
    example: '"requests";q=600;w=60',
  },
} as const;

const problems: Record<number, string> = {
  400: "The request is well-formed and cannot be processed",
  403: "Missing scope, restricted account or paused sending",
  404: "Not found in this workspace",
  408: "The request body arrived too slowly",
  409: "Conflict with the current state of the resource, or with an earlier use of the Idempotency-Key",
  410: "Expired",
  426: "The request asks for no WebSocket",
  411: "The body has no Content-Length",
  413: "Body or attachments too large",
  415: "The body is not declared as JSON",
  502: "The store of the mailbox or of its messages failed; try again",
  503: "The service cannot do this at present",
};

const TOO_MANY_REQUESTS = "Too many requests; Retry-After says after how many seconds to try again";

/** Returns the schema of the first success with a JSON body, or null. */
export const schemaOf = (successes: Responses): z.ZodType | null => Object.values(successes).find(isJson)?.[1] ?? null;

/** A response header in the OpenAPI document. */
export interface Header {
  description: string;
  schema: { type: "string" | "integer"; format?: string };
  example?: string;
}

interface Described {
  description: string;
  headers?: Record<string, Header>;
  content?: Record<string, { schema: object }>;
}

/** A response with a JSON body: its description, the schema of the body, and its own headers. */
type JsonResponse = readonly [description: string, body: z.ZodType, headers?: Record<string, Header>];

/** Successes by status. One of a description alone has no body. */
export type Responses = Record<number, string | JsonResponse | Described>;

const isJson = (response: Responses[number]): response is JsonResponse => Array.isArray(response);

function describe(response: Responses[number]): Described {
  if (typeof response === "string") return { description: response };
  if (!isJson(response)) return response;
  const [description, body, headers] = response;
  return { description, ...(headers && { headers }), content: { "application/json": { schema: resolver(body) } } };
}

/** Returns the description of a body that `readFields` reads: JSON, or the same fields as a form. */
export function fieldsBody(schema: z.ZodType) {
  const content = { schema: resolver(schema) };
  return { required: true, content: { "application/json": content, "application/x-www-form-urlencoded": content } };
}

/** Returns the description of a body that `fileBody` reads: a form with one file. `described`: its description, and an example of a text. */
export function uploadBody(described: { description?: string; example?: string } = {}) {
  const file = { type: "string" as const, format: "binary", ...described };
  const schema = { type: "object" as const, required: ["file"], properties: { file } };
  return { required: true, content: { "multipart/form-data": { schema } } };
}

/** Returns the successful response of a route that returns a file of a media type. `example`: of one that is text. */
export function file(description: string, mediaType: string, example?: string) {
  const schema = { type: "string" as const, ...(example === undefined ? { format: "binary" } : { example }) };
  return { 200: { description, content: { [mediaType]: { schema } } } };
}

/** Schemas of errors that say more than their `detail`, by status. */
export type Problems = Readonly<Record<number, z.ZodType>>;

/** Returns the responses of a route for the OpenAPI document: its successes, the 401, 422 and 429 of every route, and these statuses. */
export function responsesOf(successes: Responses, statuses: readonly number[], shapes: Problems = {}) {
  const errors = statuses.map((status): [number, JsonResponse] => [
    status,
    [problems[status] ?? "Error", shapes[status] ?? HTTPProblem],
  ]);
  const responses: Responses = {
    ...successes,
    401: ["Missing, invalid, revoked or expired credentials", HTTPProblem],
    422: ["The request is not valid", ValidationProblem],
    429: [TOO_MANY_REQUESTS, HTTPProblem, rateLimitHeaders],
    ...Object.fromEntries(errors),
  };
  return Object.fromEntries(Object.entries(responses).map(([status, response]) => [status, describe(response)]));
}

/** Ids in examples, by path parameter. The examples of the schemas use the same ids. */
const exampleIds: Record<string, string> = {
  email_id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a01",
  domain_id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a02",
  mailbox_id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a03",
  api_key_id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a04",
  broadcast_id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a11",
  variant_id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a12",
  template_id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a10",
  picture_id: "019aa7c0-4a00-8b3d-8f21-6c1d9e2b7a60",
  topic_id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a20",
  segment_id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a31",
  automation_id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a33",
  run_id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a32",
  workspace_id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a06",
  list_id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a0a",
  contact_id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a0b",
  form_id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a0e",
  transfer_id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a50",
  invitation_id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a12",
  user_id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a05",
  grant_id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a45",
  credential_id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a50",
  session_id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a07",
  row_id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a01",
  rule_id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a80",
  webhook_id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a85",
  delivery_id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a86",
  alias_id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a92",
  app_password_id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a60",
  filter_id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a91",
  label_id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a75",
  note_id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a77",
  reply_id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a76",
  erasure_id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a30",
  import_id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a95",
  notification_id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a90",
  message_id: "5b1c86a5-52ee-8b6e-9c26-6dbf1c1fd0b1",
  thread_id: "5b1c86a5-52ee-4b6e-9c26-6dbf1c1fd0b0",
};

/** The nouns of ids whose parameters have another name. */
const nouns: Record<string, string> = {
  api_key_id: "API key",
  credential_id: "SMTP credential",
  list_id: "contact list",
  message_id: "inbound email, as the search returns it",
  row_id: "outbox row",
  rule_id: "forwarding rule",
};

/** Returns the OpenAPI parameter of a text in a path. */
export const pathText = (name: string, description: string, example: string, format?: "email" | "uuid") =>
  ({
    in: "path",
    name,
    required: true,
    description,
    schema: { type: "string", ...(format && { format }) },
    example,
  }) as const;

/**
 * Returns the OpenAPI parameter of a path parameter that has one meaning in all routes: ids, UIDs and persons; null for any other, which
 * its route describes. Any value that is not an id of this workspace returns 404.
 */
export function pathParameter(name: string) {
  if (name === "uid")
    return {
      in: "path",
      name,
      required: true,
      description: "UID of the message in its folder. Any other value returns 404.",
      schema: { type: "integer", minimum: 1 },
      example: 7,
    };
  if (name === "email") return pathText(name, "The address of the person, percent-encoded", "ada@example.org", "email");
  const example = exampleIds[name];
  if (example === undefined) return null;
  const noun = nouns[name] ?? name.slice(0, -"_id".length).replaceAll("_", " ");
  return pathText(name, `Id of the ${noun}`, example, "uuid");
}
