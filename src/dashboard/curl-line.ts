import type { CallerCtx } from "../context.ts";

/** Returns the command that posts `body` to a path of the API, for lists without rows. `body` has no apostrophe. */
export const curlLine = (caller: CallerCtx, path: string, body: Readonly<Record<string, unknown>>): string =>
  `curl ${caller.settings.publicUrl}${path} -H "Authorization: Bearer $KEY" --json '${JSON.stringify(body)}'`;
