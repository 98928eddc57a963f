import type { AppContext } from "./env.ts";

/** Returns the 204 of work that has ended. Throws what it throws. */
export async function noContent(c: AppContext, work: Promise<unknown>) {
  await work;
  return c.body(null, 204);
}
