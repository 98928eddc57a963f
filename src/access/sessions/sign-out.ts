import type { Ctx } from "../../platform/context.ts";
import { findFamily } from "../tokens/issue-refresh-token.ts";
import { verifyAccessToken } from "./access-token.ts";
import { endSession } from "./revoke.ts";

/** Ends the session of an access token or, when that has expired, of a refresh token. Invalid tokens are ignored. */
export async function signOut(ctx: Ctx, accessToken: string | undefined, refreshToken: string | undefined) {
  const claims = accessToken === undefined ? null : await verifyAccessToken(ctx, "session", accessToken);
  const family = async () => (refreshToken === undefined ? null : findFamily(ctx, "session", refreshToken));
  const sessionId = claims?.sid ?? (await family());
  if (sessionId !== null) await endSession(ctx, sessionId);
}
