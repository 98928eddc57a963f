import type { ValidationError } from "../../lib/errors.ts";

/** The error names of Resend by status. 401, 409 and 422 have more than one. */
const names: Readonly<Record<number, string>> = {
  400: "validation_error",
  404: "not_found",
  405: "method_not_allowed",
  409: "invalid_idempotent_request",
  413: "invalid_attachment",
  415: "validation_error",
  429: "rate_limit_exceeded",
  500: "internal_server_error",
};

/** Fields of a send request that have another name in requests of Resend's package. */
const fields: Readonly<Record<string, string>> = {
  from_: "from",
  send_at: "scheduled_at",
  content_base64: "content",
  template_id: "template.id",
  variables: "template.variables",
};

/** Translates an error body of the API. `hasKey`: the request had an Authorization header. `mayRetry`: the response has Retry-After. */
export function toResendError(
  status: number,
  detail: string | ValidationError[],
  from: { hasKey: boolean; mayRetry: boolean },
): { statusCode: number; name: string; message: string } {
  const message = typeof detail === "string" ? renamed(detail) : detail.map(toSentence).join("; ");
  return { statusCode: status, name: errorName(status, detail, from), message };
}

function errorName(...[status, detail, { hasKey, mayRetry }]: Parameters<typeof toResendError>): string {
  if (status === 401) return hasKey ? "invalid_api_key" : "missing_api_key";
  if (status === 403) return String(detail).startsWith("Missing scope") ? "restricted_api_key" : "invalid_access";
  if (status === 409 && mayRetry) return "concurrent_idempotent_requests";
  if (status === 422) return nameOfError(typeof detail === "string" ? [] : detail);
  return names[status] ?? "application_error";
}

function nameOfError(errors: readonly ValidationError[]): string {
  const [first] = errors;
  if (first === undefined) return "validation_error";
  if (first.loc[0] === "header") return "invalid_idempotency_key";
  if (first.type === "missing") return "missing_required_field";
  if (first.loc.includes("from_")) return "invalid_from_address";
  return first.loc.includes("attachments") ? "invalid_attachment" : "validation_error";
}

/** Names the field of an error, unless it concerns the body as a whole. */
const toSentence = ({ loc, msg }: ValidationError) =>
  loc.length > 1 ? `${nameOf(loc.slice(1))}: ${renamed(msg)}` : renamed(msg);

const nameOf = (loc: readonly (string | number)[]) => loc.map((part) => fields[part] ?? part).join(".");

/** Replaces the names of fields in a message. */
const renamed = (text: string) =>
  text.replace(/\b(from_|send_at|content_base64|template_id)(?!\w)/g, (name) => fields[name] ?? name);
