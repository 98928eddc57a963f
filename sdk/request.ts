import { ApiError, ConnectionError, retryAfterOf } from "./errors.ts";

/** Method and path of an operation, and what it takes and returns. */
export interface Route {
  method: string;
  path: string;
  /** `json`; `file`: a form with one file; `blob`: a file, of which the media type is sent. */
  body?: string;
  query?: boolean;
  /** The response is not JSON. */
  raw?: boolean;
  /** Takes an Idempotency-Key, so that a repeated call does its work once. */
  keyed?: boolean;
  /** The list in the response of a paged operation: "" when the response is the list. */
  items?: string;
}

export interface ClientOptions {
  /** Address of the service, with or without `/v1`. */
  baseUrl: string;
  /** An API key or an access token. It belongs on a server, never in a browser. */
  apiKey: string;
  /** How often a request is repeated after a failure that may pass. Default 3. */
  retries?: number;
  /** Longest wait before a request is repeated, in seconds. A longer Retry-After throws at once. Default 60. */
  maxWaitSeconds?: number;
  /** Longest time of one request, in milliseconds. Default 60,000. */
  timeoutMs?: number;
  /** Replaces fetch, for example by a service binding of a Worker. */
  fetch?: (request: Request) => Promise<Response>;
  /** Replaces the timer between two requests. */
  wait?: (milliseconds: number) => Promise<void>;
}

export interface RequestOptions {
  /** Makes a repeated call do its work once within 24 hours. Default: a random one for each call that takes one. */
  idempotencyKey?: string;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

/** A call of a route: its parameters, body and options. */
export interface Call extends RequestOptions {
  path: string;
  query?: Record<string, unknown>;
  body?: unknown;
}

const FIRST_WAIT_MS = 500;
/** Methods whose repetition changes nothing (RFC 9110 9.2.2). */
const REPEATABLE = ["GET", "PUT", "DELETE"];

/**
 * Sends a request and returns its response. Repeats it after 429, after 409 and 503 with Retry-After, and, when a repetition does no
 * work twice, after any other 5xx and after a lost connection. Throws ApiError, ConnectionError, or the reason of `signal`.
 */
export async function send(options: ClientOptions, route: Route, call: Call): Promise<Response> {
  const { retries = 3, maxWaitSeconds = 60, wait = sleep } = options;
  const key = call.idempotencyKey ?? (route.keyed ? crypto.randomUUID() : undefined);
  const isSafe = key !== undefined || REPEATABLE.includes(route.method);
  for (let attempt = 0; ; attempt++) {
    const isLast = attempt >= retries;
    let delay = backoff(attempt);
    try {
      const response = await fetchOnce(options, route, call, key);
      if (response.ok) return response;
      const seconds = retryAfterOf(response);
      const mayPass = isRetried(response, seconds, isSafe) && (seconds ?? 0) <= maxWaitSeconds;
      if (isLast || !mayPass) throw new ApiError(response, await response.json().catch(() => null));
      await response.body?.cancel();
      if (seconds !== null) delay = seconds * 1000;
    } catch (error) {
      if (error instanceof ApiError || call.signal?.aborted) throw error;
      if (isLast || !isSafe)
        throw new ConnectionError(`${route.method} ${call.path} had no response`, { cause: error });
    }
    await wait(Math.min(delay, maxWaitSeconds * 1000));
  }
}

function isRetried({ status }: Response, retryAfter: number | null, isSafe: boolean): boolean {
  if (status === 429) return true;
  if (status === 409 || status === 503) return retryAfter !== null;
  return status >= 500 && isSafe;
}

function fetchOnce(options: ClientOptions, route: Route, call: Call, key: string | undefined): Promise<Response> {
  const { fetch: send = (request: Request) => fetch(request), timeoutMs = 60_000 } = options;
  const url = new URL(options.baseUrl.replace(/(\/v1)?\/*$/, "") + call.path);
  for (const [name, value] of Object.entries(call.query ?? {}))
    if (value !== undefined && value !== null) url.searchParams.set(name, String(value));
  const headers = new Headers(call.headers);
  headers.set("Authorization", `Bearer ${options.apiKey}`);
  if (key !== undefined) headers.set("Idempotency-Key", key);
  if (call.body !== undefined && route.body === "json") headers.set("Content-Type", "application/json");
  const timeout = AbortSignal.timeout(timeoutMs);
  const request = new Request(url, {
    method: route.method,
    headers,
    body: bodyOf(route, call.body),
    // The key must not follow a redirect to another host.
    redirect: "manual",
    signal: call.signal ? AbortSignal.any([call.signal, timeout]) : timeout,
  });
  return send(request);
}

function bodyOf(route: Route, body: unknown): string | FormData | Blob | undefined {
  if (body === undefined) return undefined;
  if (route.body === "blob") return body as Blob;
  if (route.body !== "file") return JSON.stringify(body);
  const form = new FormData();
  form.set("file", body as Blob);
  return form;
}

/** Doubles with each attempt, with up to a quarter at random, so that many clients do not return at once. */
const backoff = (attempt: number) => FIRST_WAIT_MS * 2 ** attempt * (1 + Math.random() / 4);

const sleep = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds));
