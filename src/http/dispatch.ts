import type { Hono } from "hono";
import type { ApiCall } from "../lib/api-call.ts";
import type { AppContext, AppEnv } from "./env.ts";

/** Headers of a request that say who calls, which the calls made for it repeat. */
const CALLER_HEADERS = ["Authorization", "Origin", "Sec-Fetch-Site", "CF-Connecting-IP"];

/** Returns how to call endpoints of `app` as the caller of a request, so that scopes, limits and validation apply. */
export function dispatcher(c: AppContext, app: { fetch: Hono<AppEnv>["fetch"] }): ApiCall {
  const own = CALLER_HEADERS.flatMap((name) => {
    const value = c.req.header(name);
    return value === undefined ? [] : [[name, value] as const];
  });
  return async (method, path, body, headers) => {
    const cookies = cookiesOf(c);
    const request = new Request(new URL(path, c.req.url), {
      method,
      headers: {
        ...Object.fromEntries(own),
        ...(cookies === "" ? {} : { Cookie: cookies }),
        "X-Request-Id": c.get("ctx").requestId,
        ...headers,
        ...(body ? { "Content-Type": "application/json" } : {}),
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    return app.fetch(request, c.env, c.executionCtx);
  };
}

/** Returns the cookies of a request, with those that its response sets: a refreshed session ends the token before it. */
function cookiesOf(c: AppContext): string {
  const cookies = new Map<string, string>();
  const given = (c.req.header("Cookie") ?? "").split(/; */);
  const set = c.res.headers.getSetCookie().map((cookie) => cookie.split(";", 1)[0] ?? "");
  for (const cookie of [...given, ...set]) if (cookie !== "") cookies.set(cookie.split("=", 1)[0] ?? "", cookie);
  return [...cookies.values()].join("; ");
}
