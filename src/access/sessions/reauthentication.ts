import { AppError } from "../../lib/errors.ts";
import type { CallerCtx } from "../caller.ts";
import { REAUTHENTICATION_TTL_MS } from "./rules.ts";

const CODE = "reauthentication_required";

/** Throws 403 for a session without a proof of identity in the last five minutes (docs/contract/sign-in.md#proof-of-identity). */
export function requireProofOfSession({ actor, now }: CallerCtx): void {
  if (actor.kind !== "session") return;
  if (actor.reauthenticatedAt !== null && now() - actor.reauthenticatedAt <= REAUTHENTICATION_TTL_MS) return;
  const detail = "Re-authenticate with POST /v1/auth/reauth, then repeat the call within five minutes";
  throw new AppError(403, detail, { code: CODE });
}

/** Returns whether an error is that of a session without such a proof. */
export const isProofMissing = (error: unknown): boolean => error instanceof AppError && error.extra.code === CODE;
