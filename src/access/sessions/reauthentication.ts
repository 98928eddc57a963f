import { AppError } from "../../lib/errors.ts";
import type { CallerCtx } from "../caller.ts";
import { REAUTHENTICATION_TTL_MS } from "./rules.ts";

/**
 * Throws 403 unless the caller's session was re-authenticated in the last five minutes
 * (docs/contract/sign-in.md#proof-of-identity).
 */
export function requireRecentReauthentication(ctx: CallerCtx): void {
  if (isRecentlyReauthenticated(ctx)) return;
  const detail = "Re-authenticate with POST /v1/auth/reauth, then repeat the call within five minutes";
  throw new AppError(403, detail, { code: "reauthentication_required" });
}

/** Returns whether the caller's session was re-authenticated in the last five minutes. */
export function isRecentlyReauthenticated({ actor, now }: CallerCtx): boolean {
  const at = actor.kind === "session" ? actor.reauthenticatedAt : null;
  return at !== null && now() - at <= REAUTHENTICATION_TTL_MS;
}
