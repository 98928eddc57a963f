import type { MiddlewareHandler } from "hono";
import type { Actor } from "../access/caller.ts";
import { type AppError, tooManyRequests } from "../lib/errors.ts";
import { clientNetwork } from "../lib/ip-addresses.ts";
import type { Ctx } from "../platform/context.ts";
import {
  countExactly,
  findExceededPolicy,
  formatPolicy,
  hourlyPolicy,
  type RatePolicy,
} from "../platform/rate-limits/index.ts";
import type { Settings } from "../platform/settings/settings.ts";
import type { AppEnv } from "./env.ts";

const subjects = {
  api_key: "API key",
  session: "session",
  oauth: "OAuth grant",
  system: "service",
  smtp: "SMTP credential",
  mailbox: "mailbox session",
} as const;

/**
 * Throws 429 when the credential has used up its requests, or its sends, of this minute (docs/contract/limits.md#rate-limits).
 */
export async function requireRequestRate(ctx: Ctx, route: string, actor: Actor): Promise<void> {
  const policy = await findExceededPolicy(ctx, route, actor.credentialId);
  // The binding does not say when its window ends, so the client waits for a whole one.
  if (policy) throw exceeded(policy, subjects[actor.kind], policy.windowSeconds);
}

/**
 * Middleware: counts a call against an exact hourly limit of the caller's workspace and throws 429 beyond it. Place it
 * before the body's validator, so that 429 comes before 413, 415 and 422.
 */
export function hourlyLimit(name: string, limitOf: (settings: Settings) => number): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    const caller = c.get("caller");
    const policy = hourlyPolicy(name, limitOf(caller.settings));
    const decision = await countExactly(caller, policy, caller.workspace.id);
    if (!decision.isAllowed) throw exceeded(policy, "workspace", decision.retryAfterSeconds);
    await next();
  };
}

/** Middleware: counts a call, whatever becomes of it, against an exact limit of the caller's user and minute. Throws 429 beyond it. */
export function minuteLimit(name: string, limitOf: (settings: Settings) => number): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    const caller = c.get("caller");
    const policy = { name, limit: limitOf(caller.settings), windowSeconds: 60 };
    const decision = await countExactly(caller, policy, caller.actor.userId);
    if (!decision.isAllowed) throw exceeded(policy, "user", decision.retryAfterSeconds);
    await next();
  };
}

/**
 * Middleware: counts a call without credentials against an exact hourly limit of the caller's address and throws 429 beyond it.
 */
export function addressLimit(name: string, limit: number): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    const policy = hourlyPolicy(name, limit);
    const subject = clientNetwork(c.req.header("CF-Connecting-IP") ?? "unknown");
    const decision = await countExactly(c.get("ctx"), policy, subject);
    if (!decision.isAllowed) throw exceeded(policy, "address", decision.retryAfterSeconds);
    await next();
  };
}

function exceeded(policy: RatePolicy, subject: string, retryAfterSeconds: number): AppError {
  const calls = `${policy.limit} ${policy.name.replaceAll("-", " ")}`;
  const period = policy.windowSeconds === 60 ? "minute" : "hour";
  return tooManyRequests(
    `The limit is ${calls} per ${subject} and ${period}; retry in ${retryAfterSeconds} seconds`,
    retryAfterSeconds,
    formatPolicy(policy),
  );
}
