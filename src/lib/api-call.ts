import type { ZodType } from "zod";

/** Calls an endpoint of the API with the credential of the request that is handled. `path` begins with a slash. */
export type ApiCall = (
  method: string,
  path: string,
  body: Record<string, unknown> | unknown[] | null,
  headers: Record<string, string>,
) => Promise<Response>;

/** The schemas of an endpoint of the API. Null: it has no such part, or one that is not JSON. */
export interface Endpoint {
  query: ZodType | null;
  body: ZodType | null;
  /** Of its success. */
  response: ZodType | null;
  /** Honours Idempotency-Key. */
  isOnce: boolean;
}
