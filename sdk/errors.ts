/** One error of a request (status 422). `loc[0]` is body, query, path or header. */
export interface ValidationError {
  loc: (string | number)[];
  msg: string;
  type: string;
}

/** A reason why a domain transfer cannot start. */
export interface Blocker {
  kind: string;
  id: string;
  label: string;
}

/** The response of the service to a request that failed. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly status: number;
  /** The errors of a 422. Empty for every other status. */
  readonly errors: readonly ValidationError[];
  /** Code of a refused domain transfer. */
  readonly code: string | null;
  readonly blockers: readonly Blocker[];
  /** Id of the request in the log of the service. */
  readonly requestId: string | null;
  /** Seconds after which the service asks to try again. */
  readonly retryAfter: number | null;

  constructor(response: Response, body: unknown) {
    const { detail, code, blockers } = (body ?? {}) as { detail?: unknown; code?: string; blockers?: Blocker[] };
    const errors = Array.isArray(detail) ? (detail as ValidationError[]) : [];
    const text = errors.map(({ loc, msg }) => `${loc.slice(1).join(".")}: ${msg}`).join("; ");
    super(`${response.status}: ${typeof detail === "string" ? detail : text || response.statusText}`);
    this.status = response.status;
    this.errors = errors;
    this.code = code ?? null;
    this.blockers = blockers ?? [];
    this.requestId = response.headers.get("X-Request-Id");
    this.retryAfter = retryAfterOf(response);
  }
}

/** A request without a response: the service was not reached, or did not respond in time. `cause` is the error of fetch. */
export class ConnectionError extends Error {
  override readonly name = "ConnectionError";
}

/** Returns the seconds of the Retry-After header (RFC 9110 10.2.3), which the service writes as a number, or null. */
export function retryAfterOf({ headers }: Response): number | null {
  const seconds = Number(headers.get("Retry-After") ?? Number.NaN);
  return Number.isFinite(seconds) && seconds >= 0 ? seconds : null;
}
