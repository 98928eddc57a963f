import type { WorkspaceCtx } from "./context.ts";

/** Lets work that never throws end after the response of a request. Outside of requests it waits for the work. */
export async function afterResponse(
  { waitUntil }: Pick<WorkspaceCtx, "waitUntil">,
  work: Promise<unknown>,
): Promise<void> {
  if (waitUntil) waitUntil(work);
  else await work;
}
