import { conflict } from "../../lib/errors.ts";
import type { WorkspaceCtx } from "../context.ts";

/** Returns the stored response that marks work as running until a time in milliseconds since 1970. */
export const runningResponse = (until: number, token: string): string => `running.${until}.${token}`;

/** Returns whether a stored response marks work whose lease is over. Throws 409 while the lease lasts. */
export function isAbandoned(ctx: WorkspaceCtx, response: string): boolean {
  const [, until] = /^running\.(\d+)\./.exec(response) ?? [];
  if (until === undefined) return false;
  const left = Number(until) - ctx.now();
  if (left <= 0) return true;
  throw conflict("A request with this Idempotency-Key is still running", {
    headers: { "Retry-After": String(Math.ceil(left / 1000)) },
  });
}
