import type { CallerCtx } from "../access/caller.ts";
import { clientNetwork } from "../lib/ip-addresses.ts";
import type { Ctx } from "../platform/context.ts";
import { rateError, requireExactly } from "../platform/rate-limits/exact.ts";
import { findExceededPolicy } from "../platform/rate-limits/find-exceeded-policy.ts";
import { hourlyPolicy } from "../platform/rate-limits/rules.ts";
import type { Settings } from "../platform/settings/settings.ts";
import type { Middleware } from "./env.ts";

const subjects = {
  api_key: "API key",
  session: "session",
  oauth: "OAuth grant",
  system: "service",
  smtp: "SMTP credential",
  mailbox: "mailbox session",
} as const;

/** Throws 429 when a credential or its workspace has used up its calls of this minute (docs/contract/limits.md#rate-limits). */
export async function requireRequestRate(
  ctx: Ctx,
  route: string,
  { actor, workspace }: Pick<CallerCtx, "actor" | "workspace">,
): Promise<void> {
  const keys = { credential: actor.credentialId, workspace: workspace.id };
  const exceeded = await findExceededPolicy(ctx, route, keys);
  if (!exceeded) return;
  const { of, policy } = exceeded;
  // The binding does not say when its window ends, so the client waits for a whole one.
  throw rateError(policy, of === "credential" ? subjects[actor.kind] : "workspace", policy.windowSeconds);
}

/**
 * Middleware: counts a call against an exact hourly limit of the caller's workspace and throws 429 beyond it. Place it
 * before the body's validator, so that 429 comes before 413, 415 and 422.
 */
export function hourlyLimit(name: string, limitOf: (settings: Settings) => number): Middleware {
  return async (c, next) => {
    const caller = c.get("caller");
    const policy = hourlyPolicy(name, limitOf(caller.settings));
    await requireExactly(caller, policy, caller.workspace.id, "workspace");
    await next();
  };
}

/** Middleware: counts a call, whatever becomes of it, against an exact limit of the caller's user and minute. Throws 429 beyond it. */
export function minuteLimit(name: string, limitOf: (settings: Settings) => number): Middleware {
  return async (c, next) => {
    const caller = c.get("caller");
    const policy = { name, limit: limitOf(caller.settings), windowSeconds: 60 };
    await requireExactly(caller, policy, caller.actor.userId, "user");
    await next();
  };
}

/** Middleware: counts a call without credentials against an exact hourly limit of the caller's address and throws 429 beyond it. */
export function addressLimit(name: string, limit: number): Middleware {
  return async (c, next) => {
    const policy = hourlyPolicy(name, limit);
    const subject = clientNetwork(c.req.header("CF-Connecting-IP") ?? "unknown");
    await requireExactly(c.get("ctx"), policy, subject, "address");
    await next();
  };
}
