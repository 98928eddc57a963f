import type { Context } from "hono";
import type { AppEnv } from "./env.ts";

/** Returns the 204 of work that has ended. Throws what it throws. */
export async function noContent(c: Context<AppEnv>, work: Promise<unknown>) {
  await work;
  return c.body(null, 204);
}
