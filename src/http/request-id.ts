import { createMiddleware } from "hono/factory";
import { createContext } from "../platform/create-context.ts";
import type { AppEnv } from "./env.ts";

const VALID_ID = /^[A-Za-z0-9._-]{1,128}$/;

/** Sets the context and the id of a request: the X-Request-Id of the caller when it is valid, otherwise a new UUID. */
export const requestId = createMiddleware<AppEnv>(async (c, next) => {
  const given = c.req.header("X-Request-Id") ?? "";
  const id = VALID_ID.test(given) ? given : crypto.randomUUID();
  c.header("X-Request-Id", id);
  c.set("ctx", createContext(c.env, id));
  await next();
});
