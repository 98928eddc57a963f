import { createMiddleware } from "hono/factory";
import { createContext } from "../context.ts";
import type { AppEnv } from "./env.ts";

const SANE = /^[A-Za-z0-9._:-]{1,128}$/;

/** Gives every request its context and its id: the caller's X-Request-Id when it is a sane one, else a new UUID. */
export const requestId = createMiddleware<AppEnv>(async (c, next) => {
  const given = c.req.header("X-Request-Id") ?? "";
  const id = SANE.test(given) ? given : crypto.randomUUID();
  c.header("X-Request-Id", id);
  c.set("ctx", createContext(c.env, id));
  await next();
});
