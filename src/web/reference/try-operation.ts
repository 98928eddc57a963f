import type { ApiCall } from "../../lib/api-call.ts";
import { tryOr } from "../../lib/try-or.ts";
import { withQuery } from "../../lib/with-query.ts";
import type { Operation, Parameter } from "./document.ts";

/** Longest response that is shown, in characters. */
const MAX_SHOWN = 20_000;

/** Values of the form of an operation by name of the field: `path.<name>`, `query.<name>`, `body` and `key`, the Idempotency-Key. */
export type Values = Readonly<Record<string, string>>;

/** The response to a call, or why it was not made. */
export type Tried = { error: string } | ShownResponse;

/** The response to a call, as the page shows it. */
export interface ShownResponse {
  /** Heading of the result, such as "Response". */
  title: string;
  status: number;
  requestId: string;
  /** True when it was stored by an earlier call with the same Idempotency-Key. */
  isReplayed: boolean;
  text: string;
}

/** Returns true for an operation that takes an Idempotency-Key. */
export const takesKey = ({ parameters = [] }: Operation) =>
  parameters.some((parameter) => parameter.in === "header" && parameter.name === "Idempotency-Key");

/** Calls an operation with the values of its form. An email is validated first, and not sent with an error. */
export async function tryOperation(operation: Operation, values: Values, call: ApiCall): Promise<Tried> {
  const body = readBody(operation, values.body ?? "");
  if (body === undefined) return { error: "The body is not a JSON object or array." };
  const path = toPath(operation, values);
  if (path === null) return { error: "A parameter of the path is missing." };
  if (operation.operationId === "sendEmail") {
    const validation = await call("POST", "/v1/emails/validate", body, {});
    const copy = await validation.clone().json<{ can_send?: boolean }>();
    if (!copy.can_send) return show("Not sent, the validation found issues", validation);
  }
  const headers: Record<string, string> = takesKey(operation) ? { "Idempotency-Key": values.key ?? "" } : {};
  return show("Response", await call(operation.method, path, body, headers));
}

/** Returns the JSON of a body, null for an operation without one, or undefined when the text is no JSON. */
function readBody(operation: Operation, text: string): Record<string, unknown> | unknown[] | null | undefined {
  if (!operation.requestBody || text.trim() === "") return null;
  const value: unknown = tryOr(() => JSON.parse(text), undefined);
  return typeof value === "object" && value !== null ? (value as Record<string, unknown> | unknown[]) : undefined;
}

/** Returns the path with its query, or null without a parameter. The URL parser would remove "." and "..". */
function toPath({ path, parameters = [] }: Operation, values: Values): string | null {
  const ids = parameters.filter((parameter) => parameter.in === "path");
  const isMissing = ({ name }: Parameter) => /^\.{0,2}$/.test(values[`path.${name}`] ?? "");
  if (ids.some(isMissing)) return null;
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[`path.${name}`] ?? ""));
  const query = parameters.filter((parameter) => parameter.in === "query");
  return withQuery(filled, Object.fromEntries(query.map(({ name }) => [name, values[`query.${name}`]])));
}

async function show(title: string, response: Response): Promise<ShownResponse> {
  const requestId = response.headers.get("X-Request-Id") ?? "";
  const isReplayed = response.headers.get("Idempotency-Replayed") === "true";
  const body = await response.text();
  const text = tryOr(() => JSON.stringify(JSON.parse(body), null, 2), body).slice(0, MAX_SHOWN);
  return { title, status: response.status, requestId, isReplayed, text };
}
