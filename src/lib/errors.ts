/**
 * The errors that an operation may throw. They are independent of the HTTP framework: `status` is that of
 * docs/contract/errors.md#statuses-of-errors, and http/errors.ts turns it into a response. Any other error becomes a 500.
 */

/** One error of a request, as listed in a 422 body. `loc[0]` is body, query, path or header. */
export interface ValidationError {
  loc: (string | number)[];
  msg: string;
  type: string;
}

/** Greatest number of errors in one response: 100,000 wrong values must not produce 100,000 messages. */
export const MAX_VALIDATION_ERRORS = 100;

/** A reason why a domain transfer cannot start. */
export interface Blocker {
  kind: string;
  id: string;
  label: string;
}

interface Extra {
  code?: string;
  blockers?: Blocker[];
  headers?: Record<string, string>;
  /** Parameters of the `WWW-Authenticate: Bearer` header (RFC 6750 3). A 401 has one without parameters also. */
  challenge?: { error: "invalid_token" | "insufficient_scope"; scope?: string };
}

export class AppError extends Error {
  readonly status: number;
  readonly detail: string | ValidationError[];
  readonly extra: Extra;

  constructor(status: number, detail: string | ValidationError[], extra: Extra = {}) {
    super(typeof detail === "string" ? detail : detail.map((error) => error.msg).join("; "));
    this.name = "AppError";
    this.status = status;
    this.detail = detail;
    this.extra = extra;
  }
}

/** Signals a body that is larger than any route accepts; becomes a 413. */
export class RequestTooLargeError extends AppError {
  constructor(detail: string) {
    super(413, detail);
    this.name = "RequestTooLargeError";
  }
}

export const badRequest = (detail: string) => new AppError(400, detail);
export const unauthorized = (detail: string) => new AppError(401, detail);
/** Returns the 401 of a bearer token that is malformed, unknown, expired or revoked (RFC 6750 3.1). A client replaces it. */
export const invalidToken = (detail: string) => new AppError(401, detail, { challenge: { error: "invalid_token" } });
export const forbidden = (detail: string) => new AppError(403, detail);
/** Returns a 404. Ids that are unknown and ids of other workspaces get the same message, which names the kind only. */
export const notFound = (kind: string) => new AppError(404, `${kind} not found`);
/** Returns a value that a read has found. Throws the 404 of its kind when there is none. */
export function requireFound<Value>(value: Value | null | undefined, kind: string): Value {
  if (value === null || value === undefined) throw notFound(kind);
  return value;
}
/** Returns a handler for `catch` that handles the errors of a class. It throws any other error. */
export const onError =
  <Kind extends Error, Result>(kind: abstract new (...args: never[]) => Kind, handle: (error: Kind) => Result) =>
  (error: unknown): Result => {
    if (error instanceof kind) return handle(error);
    throw error;
  };
/** Returns null for a 404, in `catch`. Throws any other error. */
export function nullIfMissing(error: unknown): null {
  if (error instanceof AppError && error.status === 404) return null;
  throw error;
}
export const conflict = (detail: string, extra: Extra = {}) => new AppError(409, detail, extra);
export const tooLarge = (detail: string) => new AppError(413, detail);
export const unsupportedMediaType = (detail: string) => new AppError(415, detail);
/** Returns a 503. `retryAfter` is in seconds. */
export const unavailable = (detail: string, retryAfter: number) =>
  new AppError(503, detail, { headers: { "Retry-After": String(retryAfter) } });
export const unprocessable = (errors: ValidationError[]) => new AppError(422, errors.slice(0, MAX_VALIDATION_ERRORS));
/** Returns the error of a value of a body; `path` is where it is. */
export const bodyError = (path: readonly (string | number)[], msg: string): ValidationError => ({
  loc: ["body", ...path],
  msg,
  type: "value_error",
});
/** Returns the 422 of one field of a body. */
export const invalidField = (field: string, msg: string) => unprocessable([bodyError([field], msg)]);
/**
 * Returns a 429. `retryAfter` is in seconds; `policy` is the value of RateLimit-Policy (draft-ietf-httpapi-ratelimit-headers), if a rate
 * is the reason.
 */
export const tooManyRequests = (detail: string, retryAfter: number, policy?: string) =>
  new AppError(429, detail, {
    headers: { "Retry-After": String(retryAfter), ...(policy === undefined ? {} : { "RateLimit-Policy": policy }) },
  });
